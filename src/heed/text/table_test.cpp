// SPDX-License-Identifier: Apache-2.0
#include "heed/text/table.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/testing.h"

namespace heed::text {
namespace {

using Fields = std::vector<std::string>;

Fields fields(std::string_view row, TableForm form = {}) {
  return fields_of(row, form, "t:4");
}

TEST(Table, CutsRowsAsRfc4180Says) {
  EXPECT_EQ(fields("a,b,c"), (Fields{"a", "b", "c"}));
  EXPECT_EQ(fields("a,,"), (Fields{"a", "", ""}));
  EXPECT_EQ(fields(""), Fields{""});
  EXPECT_EQ(fields("good,\"Clean rooms, \"\"quiet\"\" street.\""),
            (Fields{"good", "Clean rooms, \"quiet\" street."}));
  EXPECT_EQ(fields("\"\",\"\"\"\",x"), (Fields{"", "\"", "x"}));
  EXPECT_EQ(fields("a,\"two\nlines\""), (Fields{"a", "two\nlines"}));
  EXPECT_EQ(fields("5\" nails,\"6\"\"\""), (Fields{"5\" nails", "6\""}));
  EXPECT_EQ(fields("\"a\"\tb", {'\t', false}), (Fields{"\"a\"", "b"}));
}

TEST(Table, NamesTheColumnOfAQuoteThatIsWrong) {
  const auto mistake = [](std::string_view row) {
    return test::message_of<DataError>([&] { fields(row); });
  };
  EXPECT_EQ(mistake("a,\"b"),
            "t:4: a quote opens and is never closed in column 2, \"a,\"b\"; inside quotes a quote "
            "is written twice, and --quotes no reads quotes as they are");
  EXPECT_TRUE(mistake("\"a\" b,c")
                  .starts_with("t:4: there is text behind the closing quote in "
                               "column 1"));
}

TEST(Table, FollowsQuotesOverLines) {
  QuoteScanner scanner{TableForm{}};
  EXPECT_FALSE(scanner.open_after("a,b"));
  EXPECT_TRUE(scanner.open_after("a,\"b"));
  EXPECT_TRUE(scanner.open_after("still, \"\"inside\"\""));
  EXPECT_FALSE(scanner.open_after("end\",c"));
  EXPECT_TRUE(scanner.open_after("\"\"\"begins with a quote"));
  EXPECT_FALSE(scanner.open_after("\""));
  EXPECT_FALSE(scanner.open_after("5\" nails"));
  EXPECT_FALSE(QuoteScanner({',', false}).open_after("\"open"));
}

TEST(Table, FindsItsSeparator) {
  EXPECT_EQ(separator_of({"a,b", "c,d"}), ',');
  EXPECT_EQ(separator_of({"a;b,c", "d;e"}), ';');
  EXPECT_EQ(separator_of({"label;text", "good;\"yes, but; no\"", "bad;one\ttab"}), ';');
  EXPECT_EQ(separator_of({"a\tb", "", "c\td"}), '\t');
  EXPECT_EQ(separator_of({"a,\"two", "lines\"", "b,c"}), ',');
  EXPECT_EQ(separator_of({"one column"}), ',');
}

TEST(Table, KnowsTheQuotesOfSpreadsheetsFromThoseOfWriters) {
  EXPECT_TRUE(has_spreadsheet_quotes({"\"neg\"\t\"a\"", "\"pos\"\t\"b\"", "\"pos\"\t\"c\""}));
  EXPECT_TRUE(has_spreadsheet_quotes({"neg\ta", "pos\t\"she said \"\"no\"\"\"", "neg\tc"}));
  EXPECT_TRUE(has_spreadsheet_quotes({"neg\ta", "pos\t\"two", "lines\"", "neg\tc"}));
  EXPECT_FALSE(has_spreadsheet_quotes({"neg\t\"No\" was all", "pos\t\"Yes\" she said"}));
  EXPECT_FALSE(has_spreadsheet_quotes({"neg\ta", "pos\t\"Great.\"", "neg\tc", "pos\td"}));
  EXPECT_FALSE(has_spreadsheet_quotes({"neg\ta", "pos\tb"}));
}

}  // namespace
}  // namespace heed::text
