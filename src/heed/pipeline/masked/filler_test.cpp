// SPDX-License-Identifier: Apache-2.0
#include "heed/pipeline/masked/filler.h"

#include <gtest/gtest.h>

#include "heed/attention/trace_testing.h"
#include "heed/base/error.h"
#include "heed/pipeline/classify/classify_testing.h"
#include "heed/pipeline/masked/masked_options.h"

namespace heed::pipeline {
namespace {

TEST(Filler, GivesWordsForEveryGapBestFirst) {
  const test::TemporaryFolder folder;
  MaskedOptions options;
  testing::set_small(options, folder.path());
  options.trainer.max_updates = 2;
  train(options, testing::no_words);
  const Filler filler(options.out);
  const auto gaps = filler.fill("[MASK] shines [MASK]", {.top = 3});
  ASSERT_EQ(gaps.size(), 2u);
  for (const std::vector<Guess>& guesses : gaps) {
    ASSERT_EQ(guesses.size(), 3u);
    EXPECT_GE(guesses[0].probability, guesses[1].probability);
    EXPECT_GE(guesses[1].probability, guesses[2].probability);
    EXPECT_FALSE(guesses[0].word.starts_with("<")) << "special tokens are no words";
  }
  const auto all = filler.fill("[MASK] shines", {.top = 1000});
  for (const Guess& guess : all[0]) {
    EXPECT_FALSE(guess.word.starts_with("<")) << guess.word << ", however unlikely";
  }
  const std::vector<Input> inputs = {{"[MASK] shines [MASK]"}};
  const auto answers = filler.run(inputs, {{"top", "3"}});
  ASSERT_EQ(answers[0].size(), 3u);
  EXPECT_EQ(answers[0][0].text, gaps[0][0].word);
  EXPECT_EQ(filler.trace(inputs).size(), 1u);
  const insight::TracedExample trace = filler.trace("[MASK] shines [MASK]");
  EXPECT_NO_THROW(insight::check({.examples = {trace}}));
  EXPECT_EQ(insight::strip_of(trace, "text").tokens,
            (std::vector<std::string>{"[MASK]", "shines", "[MASK]", "</s>"}));
  EXPECT_EQ(insight::strip_of(trace, "text").words, (std::vector<int>{0, 1, 2, -1}));
  ASSERT_EQ(trace.attentions.size(), 1u);
  ASSERT_EQ(trace.attentions[0].heads.size(), 2u);
  for (const insight::TracedHead& head : trace.attentions[0].heads) {
    attention::testing::expect_distributions(head.weights, [](auto, auto) { return true; });
  }
  EXPECT_EQ(test::message_of<UsageError>([&] { filler.fill("no gap"); }),
            "there is nothing to guess in \"no gap\"; write [MASK] where a word is missing");
}

TEST(Filler, SaysWhatIsTooLongForItsPositions) {
  const test::TemporaryFolder folder;
  MaskedOptions options;
  testing::set_small(options, folder.path());
  options.stack.positions = models::Positions::learned;
  options.stack.longest = 12;
  options.max_length = 11;
  options.trainer.max_updates = 1;
  train(options, testing::no_words);
  EXPECT_EQ(test::message_of<UsageError>([&] {
              Filler(options.out).fill("one two three four five six seven eight nine ten [MASK] .");
            }),
            "a text takes 13 positions, its end included, and this model has learned 12; shorten "
            "it, or train a model with more (--longest)");
  options.max_length = 12;
  EXPECT_TRUE(test::message_of<UsageError>([&] {
                train(options, testing::no_words);
              }).starts_with("--longest 12: texts of --max-length 12 take 13 learned positions"));
}

}  // namespace
}  // namespace heed::pipeline
