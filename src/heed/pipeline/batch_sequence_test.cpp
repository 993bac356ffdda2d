// SPDX-License-Identifier: Apache-2.0
#include "heed/pipeline/batch_sequence.h"

#include <gtest/gtest.h>

#include "heed/base/testing.h"
#include "heed/text/testing.h"

namespace heed::pipeline {
namespace {

class BatchSequenceTest : public ::testing::Test {
 protected:
  BatchSequenceTest() {
    const std::vector<std::string> lines = {"a b", "b c", "c a", "a a"};
    test::put(folder_ / "text", test::joined_lines(lines));
    words_ = text::train_tokeniser({.kind = text::TokeniserKind::words, .size = 50}, lines);
  }
  BatchSequence batches() const {
    return BatchSequence(
        {text::PairReader({.source = folder_ / "text", .target = folder_ / "text"}),
         *words_,
         *words_,
         {.size = {.sentences = 1}}});
  }

  test::TemporaryFolder folder_;
  std::shared_ptr<const text::Tokeniser> words_;
};

TEST_F(BatchSequenceTest, GoesOnWhereAnotherStood) {
  BatchSequence first = batches();
  const training::Task one = first.task(nullptr);
  first.next();
  const std::string place = one.position();
  BatchSequence second = batches();
  const training::Task other = second.task(nullptr);
  other.seek(place);
  EXPECT_EQ(other.position(), place);
  EXPECT_EQ(second.next().lines, first.next().lines);
  EXPECT_EQ(other.describe_batch(), one.describe_batch());
  EXPECT_EQ(one.describe_batch().rfind("line", 0), 0u) << one.describe_batch();
}

TEST_F(BatchSequenceTest, ReportsAnEpochOnceItWasRead) {
  BatchSequence batches = this->batches();
  for (int i = 0; i < 4; ++i) {
    EXPECT_FALSE(batches.ended_epoch());
    EXPECT_EQ(batches.next().lines, batches.batch().lines);
  }
  EXPECT_TRUE(batches.ended_epoch());
  batches.next();
  EXPECT_EQ(batches.report(), "4 pairs, 12 + 12 tokens, padding 0.0%");
}

}  // namespace
}  // namespace heed::pipeline
