// SPDX-License-Identifier: Apache-2.0
#include "server/api/fields.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "server/http/http_error.h"

namespace heed::server {
namespace {

using nlohmann::json;

const std::vector<Field> kFields = {
    {.name = "text", .kind = FieldKind::texts, .required = true},
    {.name = "beam", .kind = FieldKind::whole, .otherwise = 5, .least = 1, .most = 16},
    {.name = "temperature", .kind = FieldKind::number, .least = 0, .above = true},
    {.name = "penalty", .kind = FieldKind::choice, .choices = {"none", "wu"}},
    {.name = "keys", .kind = FieldKind::numbers},
    {.name = "mask", .kind = FieldKind::flags},
    {.name = "heads", .kind = FieldKind::wholes, .least = 0},
    {.name = "sample", .kind = FieldKind::flag}};

// "WHERE: message" of the refusal.
std::string refused(const std::string& body) {
  try {
    read_fields(body, kFields);
  } catch (const HttpError& error) {
    EXPECT_EQ(error.status(), 400);
    return error.where() + ": " + error.what();
  }
  return "(accepted)";
}

TEST(Fields, FillInWhatIsLeftOut) {
  const json read = read_fields(R"({"text": "a", "temperature": 2})", kFields);
  EXPECT_EQ(read, json::parse(R"({"text": "a", "beam": 5, "temperature": 2})"));
}

TEST(Fields, PointToWhatIsWrongAndSayWhatWouldBeRight) {
  EXPECT_EQ(refused(R"({})"), "/text: \"text\" is missing; it takes a text, or a list of texts");
  EXPECT_EQ(refused(R"({"text": "a", "beem": 2})"),
            "/beem: there is no field \"beem\" (did you mean \"beam\"?); there are text, beam, "
            "temperature, penalty, keys, mask, heads, sample");
  EXPECT_EQ(refused(R"({"text": "a", "beam": 0})"),
            "/beam: \"beam\" is 0: it takes a whole number from 1 to 16");
  EXPECT_EQ(refused(R"({"text": "a", "temperature": 0})"),
            "/temperature: \"temperature\" is 0: it takes a number above 0");
  EXPECT_EQ(refused(R"({"text": "a", "penalty": "w"})"),
            "/penalty: \"penalty\" is \"w\": it takes one of none, wu");
  EXPECT_EQ(refused(R"({"text": "a", "a/b~": 1})").substr(0, 8), "/a~1b~0:");
}

TEST(Fields, RefuseOtherTypes) {
  for (const char* body : {R"({"text": 1})",
                           R"({"text": []})",
                           R"({"text": ["a", 1]})",
                           R"({"text": null})",
                           R"({"text": "a", "beam": 2.5})",
                           R"({"text": "a", "beam": "2"})",
                           R"({"text": "a", "beam": 18446744073709551615})",
                           R"({"text": "a", "beam": true})",
                           R"({"text": "a", "temperature": "x"})",
                           R"({"text": "a", "keys": [1, 2]})",
                           R"({"text": "a", "keys": [[1], [1, 2]]})",
                           R"({"text": "a", "keys": [[1], 2]})",
                           R"({"text": "a", "keys": [[true]]})",
                           R"({"text": "a", "mask": [[1]]})",
                           R"({"text": "a", "keys": [[[[[1]]]]]})",
                           R"({"text": "a", "heads": [-1]})",
                           R"({"text": "a", "heads": 1})",
                           R"({"text": "a", "sample": 1})",
                           R"([])",
                           R"("a")"}) {
    EXPECT_NE(refused(body), "(accepted)") << body;
  }
  EXPECT_EQ(refused(R"({"text": ["a", "b"], "keys": [[1, 2.5]], "mask": [[true]], "heads": []})"),
            "(accepted)");
}

TEST(Fields, RefuseWhatIsNoJson) {
  EXPECT_EQ(refused("{").substr(0, 24), ": the body is not JSON: ");
  EXPECT_NE(refused("{\"text\": \"\xff\"}").find("not JSON"), std::string::npos);
  EXPECT_NE(refused("").find("not JSON"), std::string::npos);
  EXPECT_EQ(refused(R"({"text": "a", "text": "b"})"), "/text: \"text\" is given twice");
  EXPECT_EQ(refused("{\"text\": " + std::string(100000, '[')),
            ": the body is nested deeper than 8");
  EXPECT_NE(refused(R"({"text": "a", "temperature": 1e999})"), "(accepted)");
  EXPECT_NE(refused(R"({"text": "a", "keys": [[1e300]]})"), "(accepted)");
}

TEST(Fields, AreTheirOwnSchema) {
  EXPECT_EQ(schema_of(kFields[1]),
            json::parse(R"({"type": "integer", "minimum": 1.0, "maximum": 16.0, "default": 5,
                            "description": ""})"));
  EXPECT_EQ(schema_of(kFields[2])["exclusiveMinimum"], 0);
  EXPECT_EQ(schema_of(kFields[3])["enum"], json::parse(R"(["none", "wu"])"));
  EXPECT_EQ(schema_of(kFields[4])["anyOf"].size(), 3u);
}

TEST(Fields, RefuseNulAsFilesDo) {
  const std::vector<Field> fields = {{.name = "text", .kind = FieldKind::texts}, {.name = "name"}};
  const auto message = [&](const std::string& body) {
    try {
      read_fields(body, fields);
    } catch (const HttpError& error) {
      return fmt::format("{} {}", error.where(), error.what());
    }
    return std::string();
  };
  EXPECT_EQ(message(R"({"text": "a\u0000"})"), "/text \"text\" holds NUL, which no text does");
  EXPECT_EQ(message(R"({"text": ["a", "\u0000"]})"),
            "/text \"text\" holds NUL, which no text does");
  EXPECT_EQ(message(R"({"name": "\u0000"})"), "/name \"name\" holds NUL, which no text does");
  EXPECT_EQ(message(R"({"text": ["a", "\u0001 0"]})"), "");
}

TEST(Fields, TakeNullForNothingWhereTheySaySo) {
  const std::vector<Field> fields = {
      {.name = "n", .kind = FieldKind::whole, .otherwise = 1, .nullable = true},
      {.name = "stop", .kind = FieldKind::texts, .nullable = true},
      {.name = "beam", .kind = FieldKind::whole}};
  EXPECT_EQ(read_fields(R"({"n": null, "stop": null})", fields), json::parse(R"({"n": 1})"));
  EXPECT_THROW(read_fields(R"({"beam": null})", fields), HttpError);
  EXPECT_EQ(schema_of(fields[0])["anyOf"][1], json::parse(R"({"type": "null"})"));
  EXPECT_EQ(schema_of(fields[0])["default"], 1);
}

}  // namespace
}  // namespace heed::server
