// SPDX-License-Identifier: Apache-2.0
// Which words count as copied, and where.
#include "heed/metrics/copied_words.h"

#include <gtest/gtest.h>

#include <vector>

#include "heed/base/error.h"

namespace heed::metrics {
namespace {

using Text = std::vector<std::string>;

CopiedWords count(const Text& sources, const Text& hypotheses, const Text& references) {
  KnownWords known;
  known.add("voit, et la maison de Paris.");
  return copied_words({sources, hypotheses, references}, known);
}

TEST(CopiedWords, CountsWordsOfBothSidesThatTrainingNeverHad) {
  // Zorva and Mulk count; Paris is known, "jardin" is not in the source.
  const CopiedWords found = count({"Zorva sees Mulk, and Paris and the garden."},
                                  {"Zorva voit Mulk, et Paris et la maison."},
                                  {"Zorva voit Mulk, et Paris et le jardin."});
  EXPECT_EQ(found.words, 2u);
  EXPECT_EQ(found.in_place, 2u);
  EXPECT_EQ(found.present, 2u);
}

TEST(CopiedWords, TellsAWordInItsPlaceFromOneElsewhere) {
  const CopiedWords found = count({"Zorva sees Mulk"}, {"Mulk voit Zorva"}, {"Zorva voit Mulk"});
  EXPECT_EQ(found.in_place, 0u);
  EXPECT_EQ(found.present, 2u);
  EXPECT_EQ(found.share_present(), 1);
}

TEST(CopiedWords, FindsEachWordOfTheHypothesisOnce) {
  const CopiedWords found = count({"Zorva Zorva"}, {"voit Zorva"}, {"Zorva Zorva"});
  EXPECT_EQ(found.words, 2u);
  EXPECT_EQ(found.in_place, 1u);
  EXPECT_EQ(found.share_present(), .5);
}

TEST(CopiedWords, RefusesUnequalCountsAndIsZeroOfNothing) {
  EXPECT_THROW(count({"a"}, {"a", "b"}, {"a"}), UsageError);
  EXPECT_EQ(count({"a"}, {"a"}, {"b"}).share_in_place(), 0);
}

}  // namespace
}  // namespace heed::metrics
