// SPDX-License-Identifier: Apache-2.0
#include "heed/text/data_check.h"

#include <gtest/gtest.h>

#include <fstream>

#include "heed/text/line_facts.h"
#include "heed/text/testing.h"
#include "heed/text/unicode.h"
#include "heed/text/white_space.h"

namespace heed::text {
namespace {

using test::holds;
using test::put;
using test::TemporaryFolder;

TEST(LineFacts, AreThoseOfOtherReaders) {
  for (const std::string line :
       {"", "  two  words ", "caf\u00E9\u00A0noir", "\u4E2D\u3000\u6587 x", "a\u2028b"}) {
    const LineFacts facts = facts_of(line);
    EXPECT_EQ(facts.words, words_of(line).size()) << line;
    std::uint64_t characters = 0;
    for (std::size_t at = 0; at < line.size(); ++characters) next_code_point(line, at);
    EXPECT_EQ(facts.characters, characters);
    EXPECT_EQ(facts.bad, line.npos);
    EXPECT_FALSE(facts.control || facts.replaced);
  }
  EXPECT_EQ(facts_of("sch\xF6n").bad, 3u);
  EXPECT_EQ(facts_of("\xED\xA0\x80").bad, 0u);  // a surrogate
  EXPECT_EQ(facts_of("\xC0\x80").bad, 0u);      // overlong
  EXPECT_EQ(facts_of("ab\xE2\x82").bad, 2u);    // cut short
  EXPECT_TRUE(facts_of("a\x01").control);
  EXPECT_TRUE(facts_of("a\u0092").control);
  EXPECT_TRUE(facts_of("a\uFFFD").replaced);
}

class CheckedPart : public ::testing::Test {
 protected:
  PartCheck plain(const std::string& content, const CheckOptions& options = {}) {
    put(folder_ / "f", content);
    return check_part({.files = {.source = folder_ / "f", .columns = Columns::source}}, options);
  }
  PartCheck labelled(const std::string& content, const LabelledOptions& options = {},
                     const std::string& name = "f.tsv") {
    put(folder_ / name, content);
    const LabelledForm form = labelled_form(folder_ / name, options, {});
    return check_part(
        {.files = labelled_lines(folder_ / name, form), .labelled = form, .aspects = {"label"}});
  }
  static bool suspects(const PartCheck& part, std::string_view what) {
    for (const std::string& one : suspicions(part)) {
      if (holds(one, what)) return true;
    }
    return false;
  }

  TemporaryFolder folder_;
};

TEST_F(CheckedPart, CountsTextsLengthsAndOddLines) {
  const PartCheck part =
      plain("one two\n\n" + std::string("three\n") + "a\x01z\none two\n\uFFFD\n");
  EXPECT_EQ(part.texts, 5u);
  EXPECT_EQ(part.empty.first, std::vector<std::uint64_t>{2});
  EXPECT_EQ(part.control.first, std::vector<std::uint64_t>{4});
  EXPECT_EQ(part.replaced.first, std::vector<std::uint64_t>{6});
  EXPECT_EQ(part.words.most(), 2u);
  EXPECT_EQ(part.words.total(), 7u);
  EXPECT_EQ(part.sketch->repeated(), 1u);
  EXPECT_EQ(part.sketch->first_repeated(), std::vector<std::uint64_t>{5});
  EXPECT_EQ(part.problem, "");
  EXPECT_TRUE(suspects(part, "control characters: 1 (line 4)"));
}

TEST_F(CheckedPart, SaysWhatATrainingWouldRefuse) {
  const PartCheck latin = plain("gut\nsch\xF6n\ngut\n");
  EXPECT_EQ(latin.encoding.first, std::vector<std::uint64_t>{2});
  EXPECT_TRUE(holds(latin.problem,
                    "f:2: byte 4 of the line (0xF6) is not UTF-8; it seems to be "
                    "latin1: convert the file with `iconv -f latin1 -t UTF-8 "));
  EXPECT_EQ(latin.texts, 2u);
  EXPECT_TRUE(holds(plain(std::string("a\nb\0c\n", 6)).problem, "f:2: NUL"));
  EXPECT_TRUE(holds(plain(std::string("\xFF\xFE"
                                      "a\0\n\0",
                                      6))
                        .problem,
                    "the file is UTF-16"));
  const PartCheck huge = plain("a\n" + std::string(17 << 20, 'x') + "\nb\n");
  EXPECT_EQ(huge.too_long.first, std::vector<std::uint64_t>{2});
  EXPECT_EQ(huge.texts, 2u);
  EXPECT_TRUE(holds(plain("\n\n").problem, "f: no line with text; at least one is needed"));
}

TEST_F(CheckedPart, SuspectsTextsThatMustBeSeveral) {
  std::string lines = "a b\n";
  for (int i = 0; i < 11'000; ++i) lines += "word ";
  const PartCheck part = plain(lines + "\nc\n");
  EXPECT_EQ(part.texts, 3u);
  EXPECT_EQ(part.problem, "");
  EXPECT_TRUE(
      suspects(part, "very long texts: 1 (line 2); are these several, without line breaks?"));
}

TEST_F(CheckedPart, OfPairsFindsLengthsThatDoNotBelongTogether) {
  std::string source;
  std::string target;
  for (int i = 0; i < 50; ++i) {
    source += "a short sentence of some words\n";
    target += i == 17
                  ? "much too long, for it goes on and on and on and on and on and on and on and "
                    "on and on and on and on and on and on\n"
                  : "une phrase de quelques mots\n";
  }
  put(folder_ / "en", source);
  put(folder_ / "fr", target);
  const PartCheck part =
      check_part({.files = {.source = folder_ / "en", .target = folder_ / "fr"}});
  EXPECT_EQ(part.texts, 50u);
  EXPECT_EQ(part.unequal.first, std::vector<std::uint64_t>{18});
  put(folder_ / "fr", "eins\n");
  EXPECT_TRUE(
      holds(check_part({.files = {.source = folder_ / "en", .target = folder_ / "fr"}}).problem,
            "line 2 is the first without a partner"));
}

TEST_F(CheckedPart, FindsTextsThatTrainingHasToo) {
  const PartCheck training = plain("a\nb\nc\n");
  put(folder_ / "v", "x\nb\ny\nb\n");
  const PartCheck valid = check_part(
      {.role = "validation", .files = {.source = folder_ / "v", .columns = Columns::source}},
      {.training = training.sketch.get()});
  EXPECT_EQ(valid.shared.count, 2u);
  EXPECT_EQ(valid.compared, 4u);
  EXPECT_TRUE(suspects(valid, "2 of 4 texts are in the training data too (lines 2, 4)"));
}

TEST_F(CheckedPart, ReadsNoMoreThanItIsAllowedAndDrawsASample) {
  std::string lines;
  for (int i = 0; i < 20'000; ++i) lines += std::to_string(i) + " is a number\n";
  const PartCheck part = plain(lines, {.most_bytes = 100'000, .sample_rows = 50});
  EXPECT_FALSE(part.whole);
  EXPECT_LT(part.texts, 7000u);
  ASSERT_EQ(part.sample.size(), 50u);
  EXPECT_LT(part.sample.front().line, part.sample.back().line);
  EXPECT_GT(part.sample.back().line, 1000u);
  const PartCheck few = plain(lines, {.sample_rows = 5000, .sample_bytes = 1000});
  EXPECT_LT(few.sample.size(), 100u);
  EXPECT_GT(few.sample.size(), 30u);
}

TEST_F(CheckedPart, OfAnySizeTakesLittleMemory) {
  std::string block;
  for (int i = 0; i < 20'000; ++i) block += "number " + std::to_string(i) + " of the same lines\n";
  {
    std::ofstream file(folder_ / "large");
    for (int i = 0; i < 40; ++i) file << block;
  }
  const auto peak = [] {
    std::ifstream status("/proc/self/status");
    std::uint64_t kilobytes = 0;
    for (std::string word; status >> word;) {
      if (word == "VmHWM:") status >> kilobytes;
    }
    return kilobytes * 1024;
  };
  const std::uint64_t before = peak();
  const PartCheck part =
      check_part({.files = {.source = folder_ / "large", .columns = Columns::source}});
  EXPECT_EQ(part.texts, 800'000u);
  EXPECT_EQ(part.sketch->repeated(), 780'000u);
  EXPECT_LT(peak() - before, 6'000'000u);  // the file has 24 MB
}

std::string opinion_rows(int count, const std::string& first, const std::string& text) {
  std::string lines;
  for (int i = 0; i < count; ++i) {
    lines += first + (i % 2 == 0 ? "good" : "bad") + first + "\t" + text + std::to_string(i) + "\n";
  }
  return lines;
}

TEST_F(CheckedPart, OfLabelledTextsCountsClasses) {
  const PartCheck part = labelled(opinion_rows(20, "", "a text "));
  ASSERT_EQ(part.classes.size(), 1u);
  EXPECT_EQ(part.classes[0].classes, (std::vector<std::string>{"bad", "good"}));
  EXPECT_EQ(part.classes[0].counts, (std::vector<std::uint64_t>{10, 10}));
  EXPECT_TRUE(suspicions(part).empty());
}

TEST_F(CheckedPart, SuspectsAHeaderThatIsReadAsAText) {
  const PartCheck part = labelled("urteil\tmeinung\n" + opinion_rows(20, "", "a text "));
  EXPECT_TRUE(suspects(part,
                       "the first row is read as a text with the label \"urteil\", which no "
                       "other has: does it name the columns? Then give --header yes"));
  EXPECT_TRUE(suspects(part, "a class has one text only: \"urteil\""));
  EXPECT_FALSE(suspects(labelled("label\ttext\n" + opinion_rows(20, "", "a text ")), "header"));
}

TEST_F(CheckedPart, SuspectsSwappedColumns) {
  std::string lines;
  for (int i = 0; i < 300; ++i) {
    lines +=
        "excellent battery number " + std::to_string(i % 89) + (i % 2 == 0 ? "\tpos\n" : "\tneg\n");
  }
  // What follows from it is not said besides.
  EXPECT_EQ(
      suspicions(labelled(lines)),
      std::vector<std::string>{
          "89 labels for 300 texts: are the columns swapped? Read is: label in column 1, text "
          "in column 2; --label-column 2 --text-column 1 reads them the other way round"});
}

TEST_F(CheckedPart, SuspectsQuotesThatAreKept) {
  const PartCheck part = labelled(opinion_rows(20, "\"", "a text "), {.quotes = Stated::no});
  EXPECT_TRUE(suspects(part, "fields in quotes, which are kept: 20 (lines 1, 2, 3, 4, 5, ...)"));
  EXPECT_FALSE(suspects(labelled(opinion_rows(20, "\"", "a text ")), "quotes"));
}

TEST_F(CheckedPart, SuspectsOneTextWithTwoLabels) {
  const PartCheck part = labelled("a\tsame\nb\tsame\na\tother\nb\tthird\n");
  EXPECT_TRUE(suspects(part, "1 text with another label than the same text has before (line 2)"));
}

TEST_F(CheckedPart, CountsRowsThatCannotBeReadAndGoesOn) {
  const PartCheck part = labelled("a\tone\nno tab\nb\ttwo\n\tthree\n");
  EXPECT_EQ(part.texts, 2u);
  EXPECT_EQ(part.unreadable.first, (std::vector<std::uint64_t>{2, 4}));
  EXPECT_TRUE(holds(part.problem, "f.tsv:2: 1 column where each line must be LABEL<TAB>TEXT"));
}

}  // namespace
}  // namespace heed::text
