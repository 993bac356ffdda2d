// SPDX-License-Identifier: Apache-2.0
// A model of masked words under observers guesses what it is scored by.
#include <gtest/gtest.h>

#include "heed/pipeline/classify/classify_testing.h"
#include "heed/pipeline/masked/filler.h"
#include "heed/pipeline/watched.h"
#include "heed/text/lines.h"

namespace heed::pipeline {
namespace {

TEST(WatchedLines, LoseWhatTheModelIsScoredBy) {
  const test::TemporaryFolder folder;
  MaskedOptions options;
  testing::set_small(options, folder.path());
  options.trainer.max_updates = 2;
  train(options, testing::no_words);
  const Filler filler(options.out);
  const auto watched = filler.watched({.files = {options.valid}});
  const std::vector<MaskedScore> scores = filler.score(text::read_lines(options.valid));
  ASSERT_EQ(watched->size(), scores.size());
  for (const std::vector<std::size_t>& batch : watched->batches(200)) {
    const WatchedRun run = watched->run(batch, {});
    for (std::size_t b = 0; b < batch.size(); ++b) {
      const MaskedScore& score = scores[batch[b]];
      EXPECT_NEAR(run.losses.value().at({static_cast<std::int64_t>(b)}), score.loss, 1e-4);
      EXPECT_EQ(run.units[b], score.masks);
      EXPECT_EQ(run.right[b], score.right);
    }
  }
  // A text of its own is read as it is.
  const auto text = filler.watched({.inputs = {{.text = "sun shines"}}});
  EXPECT_EQ(text->strips(0).front().tokens, (std::vector<std::string>{"sun", "shines", "</s>"}));
  EXPECT_EQ(text->strips(0).front().words, (std::vector<int>{0, 1, -1}));
}

}  // namespace
}  // namespace heed::pipeline
