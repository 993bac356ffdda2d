// SPDX-License-Identifier: Apache-2.0
// Foreign JSON: what is asked for comes back, and what is wrong is said with its place.
#include "heed/base/json.h"

#include <gtest/gtest.h>

#include "heed/base/testing.h"

namespace heed {
namespace {

using test::message_of;

TEST(Json, IsAskedForByPlace) {
  const Json json = Json::parse(R"({"a": {"b": [1, 2.5, "x", true, null]}})", "file");
  const JsonPlace list = JsonPlace(json, "file").at("a").at("b");
  EXPECT_EQ(list.at(0).whole(0, 9), 1);
  EXPECT_EQ(list.at(1).number(), 2.5);
  EXPECT_EQ(list.at(2).text(), "x");
  EXPECT_TRUE(list.at(3).truth());
  EXPECT_TRUE(list.at(4).is_null());
  EXPECT_EQ(message_of<DataError>([&] { list.at(2).whole(0, 9); }),
            "file: a: b: value 2: a text; it takes a whole number");
  EXPECT_EQ(message_of<DataError>([&] { list.at(0).whole(2, 9); }),
            "file: a: b: value 0: 1; it takes 2 to 9");
  EXPECT_EQ(message_of<DataError>([&] { JsonPlace(json, "file").at("c"); }),
            "file: \"c\" is missing");
}

TEST(Json, ComesBackAsItWasWritten) {
  const std::string written = R"({"a":[1,-2.5,"\"\u0001é",null,true],"b":{}})";
  EXPECT_EQ(Json::parse(written, "file").text(), written);
}

TEST(Json, RefusesWhatIsNoJsonWithFileAndByte) {
  EXPECT_NE(message_of<DataError>([] {
              Json::parse("{\"a\": 1,}", "file");
            }).find("file: byte 9: this is not JSON"),
            std::string::npos);
  EXPECT_NE(message_of<DataError>([] { Json::parse("\"\xFF\"", "file"); }).find("UTF-8"),
            std::string::npos);
  EXPECT_EQ(message_of<DataError>([] { Json::parse(R"({"a": 1, "a": 2})", "file"); }),
            "file: \"a\" is there twice; a name takes one value");
  EXPECT_NO_THROW(Json::parse(std::string(64, '[') + std::string(64, ']'), "file"));
  EXPECT_THROW(Json::parse(std::string(65, '[') + std::string(65, ']'), "file"), DataError);
}

}  // namespace
}  // namespace heed
