// SPDX-License-Identifier: Apache-2.0
// Tests of the names in a written mechanism.
#include "heed/attention/written/spec_names.h"

#include <gtest/gtest.h>

#include "heed/attention/pattern.h"
#include "heed/base/error.h"
#include "heed/base/testing.h"

namespace heed::attention {
namespace {

const KnownNames& known() {
  static const KnownNames names = {.scores = {"dot", "scaled_dot"},
                                   .biases = {"alibi", "tensor"},
                                   .patterns = {"causal", "full", "tensor", "window"},
                                   .normalisers = {"softmax", "sparsemax"}};
  return names;
}

std::string names_message(std::string_view text) {
  return heed::test::message_of<UsageError>([&] { check_names(parse_spec(text), known()); });
}

TEST(SpecNames, AreAcceptedInTheirPlaces) {
  for (const char* text : {"dot", "alibi + dot | (causal | window) & full | sparsemax",
                           "dot + tensor | tensor", "2x(dot); 1x(scaled_dot | causal)"}) {
    EXPECT_EQ(names_message(text), "(no error was thrown)") << text;
  }
}

TEST(SpecNames, ComeWithTheNearestKnownOne) {
  EXPECT_EQ(names_message("dot | full & (causal | windwo(3))"),
            "mechanism: there is no pattern \"windwo\" (did you mean \"window\"?); there are "
            "causal, full, tensor, window\n"
            "  dot | full & (causal | windwo(3))\n"
            "                         ^");
  EXPECT_EQ(names_message("1x(dot); 1x(dott)"),
            "mechanism: there is no score or bias \"dott\" (did you mean \"dot\"?); there are dot, "
            "scaled_dot, alibi, tensor\n"
            "  1x(dot); 1x(dott)\n"
            "              ^");
  EXPECT_EQ(names_message("dot | full | zzz"),
            "mechanism: there is no normaliser \"zzz\"; there are softmax, sparsemax\n"
            "  dot | full | zzz\n"
            "               ^");
}

TEST(SpecNames, MayBeNearToOnesOfTheNextSection) {
  EXPECT_EQ(names_message("dot | sofmax"),
            "mechanism: there is no pattern \"sofmax\"; did you mean the normaliser softmax, which "
            "comes after a pattern: | full | softmax\n"
            "  dot | sofmax\n"
            "        ^");
}

TEST(SpecNames, AreToldWhereTheyBelong) {
  EXPECT_EQ(
      names_message("dot | softmax"),
      "mechanism: softmax is a normaliser, and this is the place of a pattern; the sections are "
      "scores + biases | pattern | normaliser | addressing, and | between patterns goes inside "
      "parentheses\n"
      "  dot | softmax\n"
      "        ^");
  EXPECT_EQ(names_message("dot | causal | softmax | causal"),
            "mechanism: causal is a pattern, and this is the place of an addressing part; the "
            "sections are scores + biases | pattern | normaliser | addressing, and | between "
            "patterns goes inside parentheses\n"
            "  dot | causal | softmax | causal\n"
            "                           ^");
  EXPECT_NE(names_message("dot | causal | window")
                .find("window is a pattern, and this is the place of a norm"),
            std::string::npos);
}

TEST(SpecNames, OfBeforeSayWhatTheyAreCalledNow) {
  KnownNames renamed = known();
  renamed.renamed = {{"soft", "softmax"}};
  EXPECT_EQ(heed::test::message_of<UsageError>(
                [&] { check_names(parse_spec("dot | full | soft"), renamed); }),
            "mechanism: the normaliser soft is called softmax now\n"
            "  dot | full | soft\n"
            "               ^");
}

TEST(SpecNames, NeedAScoreAmongThem) {
  EXPECT_EQ(names_message("alibi | causal"),
            "mechanism: found biases only; a mechanism needs a score: dot, scaled_dot\n"
            "  alibi | causal\n"
            "  ^");
}

TEST(SpecNames, AreListedByTheCatalogue) {
  const std::vector<std::string> patterns = listed_names<NamedPattern>();
  EXPECT_EQ(std::ranges::count(patterns, "causal"), 1);
  EXPECT_TRUE(std::ranges::is_sorted(patterns));
}

}  // namespace
}  // namespace heed::attention
