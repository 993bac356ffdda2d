// SPDX-License-Identifier: Apache-2.0
// Gaps explained: the subject is the model's own guess, whatever is taken away around it.
#include "heed/pipeline/masked/explained_gap.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/base/error.h"
#include "heed/pipeline/classify/classify_testing.h"
#include "heed/pipeline/explained_testing.h"
#include "heed/pipeline/masked/filler.h"
#include "heed/pipeline/masked/masked_options.h"

namespace heed::pipeline {
namespace {

TEST(ExplainedGap, IsAWordOfAGapByTheWordsAroundIt) {
  const test::TemporaryFolder folder;
  MaskedOptions options;
  testing::set_small(options, folder.path());
  options.trainer.max_updates = 2;
  train(options, testing::no_words);
  const Filler filler(options.out);
  const std::string text = "[MASK] shines [MASK] sun shines";
  const Explained first = filler.explained({text});
  EXPECT_EQ(first.words, (std::vector<std::string>{"[MASK]", "shines", "[MASK]", "sun", "shines"}));
  const Guess guess = filler.fill(text, {.top = 1})[0][0];
  EXPECT_EQ(first.target, "gap 1 = " + guess.word);
  EXPECT_NEAR(first.probability, guess.probability, 1e-5);
  EXPECT_NEAR(std::exp(first.subject->output()), guess.probability, 1e-4);

  const Explained second = filler.explained({text}, {.label = "2=sun"});
  EXPECT_EQ(second.target, "gap 2 = sun");
  testing::expect_slopes(*second.subject);
  testing::expect_same_alone(*second.subject);
  // The gap that is asked about stays; the other may go, and the first moves the second.
  const std::vector<double> erased = testing::shares(*second.subject, "leave_one_out");
  EXPECT_EQ(erased[2], 0);
  EXPECT_NE(erased[0], 0);
  EXPECT_NEAR(second.subject->output() - erased[0],
              filler.explained({"shines [MASK] sun shines"}, {.label = "1=sun"}).subject->output(),
              1e-4);
  for (const explain::Look& layer : second.subject->looks().layers) {
    EXPECT_TRUE(layer.values.defined());
  }
  double sum = 0;
  for (const double one : testing::shares(*second.subject, "rollout")) sum += one;
  EXPECT_GT(sum, .3);
  EXPECT_LE(sum, 1 + 1e-5) << "the end has the rest";

  EXPECT_EQ(test::message_of<UsageError>([&] { filler.explained({text}, {.label = "3"}); }),
            "--target 3: the text has 2 gaps; name one of them, from 1 on");
  EXPECT_TRUE(test::message_of<UsageError>([&] {
                filler.explained({text}, {.label = "sun shines"});
              }).starts_with("--target sun shines: a gap is one piece of the vocabulary, and"));
  EXPECT_THROW(filler.explained({"no gap"}), UsageError);
}

}  // namespace
}  // namespace heed::pipeline
