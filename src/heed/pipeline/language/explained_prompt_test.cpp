// SPDX-License-Identifier: Apache-2.0
// Continuations explained by the words before them.
#include "heed/pipeline/language/explained_prompt.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/models/gpt.h"
#include "heed/models/recurrent_language_model.h"
#include "heed/pipeline/explained_testing.h"
#include "heed/pipeline/language/language_generator.h"

namespace heed::pipeline {
namespace {

TokeniserPointer words() {
  return text::train_tokeniser({.kind = text::TokeniserKind::words},
                               std::vector<std::string>{"one two three four five"});
}

LanguageGenerator gpt() {
  const TokeniserPointer tokeniser = words();
  Random random(2);
  models::GptOptions options{.vocabulary = tokeniser->size(), .context = 16};
  options.stack.width = 8;
  options.stack.heads = 2;
  options.stack.inner = 12;
  options.stack.layers = 2;
  options.stack.dropout = 0;
  return {tokeniser, std::make_shared<models::Gpt>(options, random), text::LineEnds::token};
}

LanguageGenerator recurrent() {
  const TokeniserPointer tokeniser = words();
  Random random(2);
  const models::RecurrentLanguageModelOptions options{
      .vocabulary = tokeniser->size(), .embedding = 8, .hidden = 8};
  return {tokeniser, std::make_shared<models::RecurrentLanguageModel>(options, random),
          text::LineEnds::token};
}

void expect_explained(const LanguageGenerator& generator) {
  const Input input{"one two three four", " five two"};
  const Explained first = generator.explained(input);
  EXPECT_EQ(first.words, (std::vector<std::string>{"one", "two", "three", "four"}));
  ASSERT_EQ(first.steps.size(), 2u);
  const text::LongText whole = generator.encode(input.text + input.second);
  const std::vector<float> scores = generator.score(whole).token_log_probabilities;
  for (std::size_t step = 0; step < 2; ++step) {
    EXPECT_NEAR(first.at(step).subject->output(), scores[4 + step], 1e-4) << step;
  }
  const Explained second = generator.explained(input, {.label = "two"});
  EXPECT_EQ(second.step, 1u);
  testing::expect_slopes(*second.subject);
  testing::expect_same_alone(*second.subject);
  EXPECT_THROW(generator.explained(input, {.label = "3"}), UsageError);
  EXPECT_THROW(generator.explained({" "}), UsageError);
  EXPECT_GE(generator.explained({input.text}).steps.size(), 1u) << "what it writes itself";
}

TEST(ExplainedPrompt, IsTheLogProbabilityOfWhatComesNext) {
  expect_explained(gpt());
  expect_explained(recurrent());
}

TEST(ExplainedPrompt, FollowsCausalLayersWithANote) {
  const LanguageGenerator generator = gpt();
  const Explained explained = generator.explained({"one two three four", " five"});
  const explain::Looks looks = explained.subject->looks();
  ASSERT_EQ(looks.layers.size(), 2u);
  EXPECT_TRUE(looks.causal);
  EXPECT_EQ(looks.layers[0].weights.at({0, 1, 3}), 0) << "the future";
  testing::expect_values_fit(looks.layers[1]);
  EXPECT_FALSE(explain::make_explainer("rollout")->explain(*explained.subject).note.empty());
}

}  // namespace
}  // namespace heed::pipeline
