// SPDX-License-Identifier: Apache-2.0
#include "heed/pipeline/memory/asker.h"

#include <gtest/gtest.h>

#include <memory>

#include "heed/base/error.h"
#include "heed/base/testing.h"
#include "heed/pipeline/measure.h"
#include "heed/pipeline/memory/memory_testing.h"
#include "heed/pipeline/model_kind.h"

namespace heed::pipeline {
namespace {

// A model of few updates, made once for all tests.
class SmallAsker : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<test::TemporaryFolder>();
    MemoryOptions options;
    testing::set_small(options, folder_->path());
    options.hops = 2;
    options.linear_start = 0;
    options.trainer.max_epochs = 1;
    train(options, [](std::string_view) {});
    asker_ = std::make_unique<Asker>(options.out);
  }
  static void TearDownTestSuite() {
    asker_.reset();
    folder_.reset();
  }

  static inline std::unique_ptr<test::TemporaryFolder> folder_;
  static inline std::unique_ptr<Asker> asker_;
};

TEST_F(SmallAsker, IsAModelThatTakesAStoryAndAQuestion) {
  const Input input{"Ann went to the hall. Bob went to the attic.", "Where is Bob?"};
  EXPECT_TRUE(asker_->takes_second());
  EXPECT_EQ(asker_->kind().noun, "memory network");
  EXPECT_GT(asker_->parameter_count(), 0);
  const auto answers = asker_->run(std::span(&input, 1), {{"top", "3"}});
  ASSERT_EQ(answers[0].size(), 3u);
  EXPECT_GE(answers[0][0].score, answers[0][1].score);
  const Input unasked{"Ann went to the hall.", ""};
  EXPECT_THROW(asker_->run(std::span(&unasked, 1)), UsageError);
  EXPECT_THROW(asker_->run(std::span(&input, 1), {{"beam", "3"}}), UsageError);
}

TEST_F(SmallAsker, TracesItsHopsOverTheSentencesAndTheEmptySlots) {
  const Input input{"Ann went to the hall. Bob went to the attic.", "Where is Bob?"};
  const insight::TracedExample example = asker_->trace(std::span(&input, 1))[0];
  insight::check({.model = "m", .task = "t", .examples = {example}});
  EXPECT_EQ(insight::strip_of(example, "hops").tokens,
            (std::vector<std::string>{"hop 1", "hop 2"}));
  EXPECT_EQ(insight::strip_of(example, "story").tokens,
            (std::vector<std::string>{"Ann went to the hall.", "Bob went to the attic.",
                                      "(empty slots)"}));
  const Tensor& weights = example.attentions[0].heads[0].weights;
  ASSERT_EQ(weights.shape(), Shape({2, 3}));
  for (std::int64_t hop = 0; hop < 2; ++hop) {
    EXPECT_NEAR(weights.at({hop, 0}) + weights.at({hop, 1}) + weights.at({hop, 2}), 1, 1e-5);
  }
}

TEST_F(SmallAsker, MarksSupportingFactsAndForgottenSentences) {
  text::Story story;
  const auto count = static_cast<std::size_t>(asker_->sizes().slots) + 2;
  for (std::size_t i = 0; i < count; ++i) {
    story.sentences.push_back({.text = "Ann went to the hall.", .line = i + 1});
  }
  const text::StoryQuestion question{
      .text = "Where is Ann?", .sentences = count, .support = {static_cast<int>(count) - 1}};
  const StoryAnswer answer = asker_->ask(story, question, {}, "story");
  EXPECT_TRUE(answer.sentences[0].weights.empty());
  EXPECT_TRUE(answer.sentences[1].weights.empty());
  EXPECT_EQ(answer.sentences[2].weights.size(), 2u);
  EXPECT_TRUE(answer.sentences.back().supports);
  EXPECT_NEAR(answer.nothing[0], 0, 1e-6);
  const insight::TracedExample example = Asker::traced(answer);
  EXPECT_TRUE(attention::is_masked(example.attentions[0].heads[0].weights.at({0, 0})));
  EXPECT_TRUE(insight::strip_of(example, "story").tokens[count - 1].starts_with("\u2605"));
}

TEST_F(SmallAsker, RefusesWhatItCannotRead) {
  const std::vector<std::string> none;
  EXPECT_NO_THROW(asker_->ask(none, "Where is Ann?"));
  EXPECT_THROW(asker_->ask(none, " ? "), UsageError);
  const std::vector<std::string> lengthy = {"Ann went to the hall and to the attic and back."};
  EXPECT_THROW(asker_->ask(lengthy, "Where is Ann?"), UsageError);
  EXPECT_EQ(asker_->ask(std::vector<std::string>{"Zoe went to the hall."}, "Where is Zoe?").unknown,
            (std::vector<std::string>{"zoe"}));
  test::put(*folder_ / "model" / "memory.tsv", "slots\t3\n");
  EXPECT_THROW(Asker(*folder_ / "model"), DataError);
}

TEST_F(SmallAsker, IsMeasuredByItsErrors) {
  ComparedModel contestant;
  const std::string file = (*folder_ / "valid.txt").string();
  asker_->measure(std::span(&file, 1), contestant);
  EXPECT_EQ(contestant.sentences, 80u);
  ASSERT_EQ(contestant.measures.size(), 1u);
  EXPECT_EQ(contestant.measures[0].name, "error %");
  EXPECT_TRUE(contestant.measures[0].lower_is_better);
}

}  // namespace
}  // namespace heed::pipeline
