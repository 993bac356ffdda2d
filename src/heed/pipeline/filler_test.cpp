// SPDX-License-Identifier: Apache-2.0
#include "heed/pipeline/filler.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/pipeline/classify_testing.h"
#include "heed/pipeline/train_masked.h"

namespace heed::pipeline {
namespace {

TEST(Filler, GivesWordsForEveryGapBestFirst) {
  const test::TemporaryFolder folder;
  MaskedOptions options;
  testing::set_small(options, folder.path());
  options.trainer.max_updates = 2;
  train_masked(options, testing::no_words);
  const Filler filler(options.out);
  const auto gaps = filler.fill("[MASK] shines [MASK]", 3);
  ASSERT_EQ(gaps.size(), 2u);
  for (const std::vector<Guess>& guesses : gaps) {
    ASSERT_EQ(guesses.size(), 3u);
    EXPECT_GE(guesses[0].probability, guesses[1].probability);
    EXPECT_GE(guesses[1].probability, guesses[2].probability);
    EXPECT_FALSE(guesses[0].word.starts_with("<")) << "special tokens are no words";
  }
  EXPECT_EQ(test::message_of<UsageError>([&] { filler.fill("no gap"); }),
            "fill: there is nothing to guess in \"no gap\"; write [MASK] where a word is missing");
}

}  // namespace
}  // namespace heed::pipeline
