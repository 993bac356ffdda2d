// SPDX-License-Identifier: Apache-2.0
#include "heed/metrics/chrf.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"

namespace heed::metrics {
namespace {

using Lines = std::vector<std::string>;

TEST(Chrf, IsOneHundredForTheReferenceAndZeroForAnotherAlphabet) {
  EXPECT_DOUBLE_EQ(sentence_chrf("Le chat dort.", Lines{"Le chat dort."}), 100);
  EXPECT_DOUBLE_EQ(sentence_chrf("a b c", Lines{"abc"}), 100) << "white space does not count";
  EXPECT_DOUBLE_EQ(sentence_chrf("abc", Lines{"xyz"}), 0);
  EXPECT_DOUBLE_EQ(sentence_chrf("", Lines{"xyz"}), 0);
}

TEST(Chrf, AveragesPrecisionAndRecallOverTheOrdersThereAre) {
  // Letters: 2 of 2 found, 2 of 3 wanted. Pairs: 1 of 1, 1 of 2. No hypothesis has longer ones.
  const double precision = 1, recall = (2.0 / 3 + 1.0 / 2) / 2;
  EXPECT_NEAR(sentence_chrf("ab", Lines{"abc"}),
              100 * 5 * precision * recall / (4 * precision + recall), 1e-9);
  EXPECT_NEAR(sentence_chrf("ab", Lines{"abc"}, {.beta = 1}),
              100 * 2 * precision * recall / (precision + recall), 1e-9);
}

TEST(Chrf, AddsWordsAndTheirMarksWhenAsked) {
  const ChrfStatistics statistics =
      chrf_statistics("(Yes) no.", Lines{"Yes no ."}, {.character_order = 1, .word_order = 2});
  ASSERT_EQ(statistics.size(), 3u);
  EXPECT_EQ(statistics[0].hypothesis, 8);
  EXPECT_EQ(statistics[0].matches, 6);
  EXPECT_EQ(statistics[1].hypothesis, 4) << "(Yes | ) | no | .";
  EXPECT_EQ(statistics[1].matches, 2);
  EXPECT_EQ(statistics[2].matches, 1) << "no .";
}

TEST(Chrf, AddsUpCountsOverACorpusInsteadOfScores) {
  // 1 of 2 letters found and wanted, none of pairs.
  EXPECT_NEAR(corpus_chrf(Lines{"a", "b"}, std::vector<Lines>{{"a", "c"}}), 50, 1e-9);
}

TEST(Chrf, TakesTheBestReferenceOfEachSentence) {
  const std::vector<Lines> references = {{"xx", "cd"}, {"ab", "yy"}};
  EXPECT_DOUBLE_EQ(corpus_chrf(Lines{"ab", "cd"}, references), 100);
}

TEST(Chrf, ReadsCodePointsAndMayIgnoreCase) {
  EXPECT_EQ(chrf_statistics("été", Lines{"été"})[0].hypothesis, 3);
  EXPECT_DOUBLE_EQ(sentence_chrf("ÉTÉ", Lines{"été"}, {.lower_case = true}), 100);
  EXPECT_DOUBLE_EQ(sentence_chrf("ÉTÉ", Lines{"été"}), 0);
}

TEST(Chrf, NamesAndSignsItself) {
  EXPECT_EQ(chrf_name(), "chrF2");
  EXPECT_EQ(chrf_name({.word_order = 2}), "chrF2++");
  EXPECT_TRUE(chrf_signature(1).starts_with("nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|"));
}

TEST(Chrf, RefusesUnequalCounts) {
  EXPECT_THROW(corpus_chrf(Lines{"a", "b"}, std::vector<Lines>{{"a"}}), UsageError);
  EXPECT_THROW(sentence_chrf("a", Lines{}), UsageError);
}

}  // namespace
}  // namespace heed::metrics
