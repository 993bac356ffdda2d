// SPDX-License-Identifier: Apache-2.0
#include "heed/pipeline/language/language_generator.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/base/error.h"
#include "heed/base/testing.h"
#include "heed/pipeline/language/language_options.h"
#include "heed/pipeline/language/language_writing.h"

namespace heed::pipeline {
namespace {

TokeniserPointer letters() {
  const std::vector<std::string> lines = {"abc d"};
  return text::train_tokeniser(
      {.kind = text::TokeniserKind::characters, .spaces = text::Spaces::kept}, lines);
}

LanguageGenerator random_model(LanguageModelKind kind, std::int64_t longest = 8) {
  LanguageModelOptions options;
  options.model = kind;
  options.embedding = options.hidden = options.stack.width = 8;
  options.stack.heads = 2;
  options.stack.inner = 8;
  options.stack.layers = 1;
  options.stack.longest = longest;
  options.stack.positions = kind == LanguageModelKind::transformer_xl ? models::Positions::distances
                                                                      : models::Positions::learned;
  options.memory = 12;
  Random random(3);
  TokeniserPointer tokeniser = letters();
  std::shared_ptr<models::LanguageModel> model =
      make_language_model(options, tokeniser->size(), random);
  return {tokeniser, model, text::LineEnds::token};
}

TEST(LanguageGenerator, StreamsWhatItReturns) {
  for (const LanguageModelKind kind : {LanguageModelKind::recurrent, LanguageModelKind::gpt}) {
    const LanguageGenerator generator = random_model(kind);
    std::string heard;
    const std::string text =
        generator.generate("ab", {.length = 30}, [&](std::string_view piece) { heard += piece; });
    EXPECT_EQ(heard, text);
    EXPECT_EQ(text.size(), 30u);
    EXPECT_EQ(text, generator.generate("ab", {.length = 30}));
    EXPECT_NE(text, generator.generate("ab", {.length = 30, .number = 1}));
  }
}

TEST(LanguageGenerator, CarriesTheMemoryOfSegmentsOverALongText) {
  const LanguageGenerator generator = random_model(LanguageModelKind::transformer_xl);
  const text::LongText text = generator.encode(std::string(40, 'a') + std::string(30, 'b'));
  const double whole = generator.score(text).log_probability;
  EXPECT_NEAR(generator.score(text, {.window = 5}).log_probability, whole, 1e-4);
  EXPECT_NEAR(generator.score(text, {.memory = 12}).log_probability, whole, 1e-6);
  EXPECT_GT(std::abs(generator.score(text, {.memory = 0}).log_probability - whole), 1e-4);
  EXPECT_THROW(random_model(LanguageModelKind::gpt).score(text, {.memory = 5}), UsageError);
}

TEST(LanguageGenerator, WritesAfterPromptsLongerThanASegment) {
  const LanguageGenerator generator = random_model(LanguageModelKind::transformer_xl);
  const std::string prompt = "abcabcabcabcabcabcabcabcabc";
  const auto tokens = [&](std::int64_t memory) {
    LanguageGenerator::Writing writing(
        generator, prompt, {.length = 20, .greedy = true, .memory = memory, .probabilities = true});
    while (!writing.done()) writing.next();
    return writing.tokens();
  };
  const std::vector<WrittenToken> written = tokens(-1);
  std::string all = prompt;
  for (const WrittenToken& token : written) all += token.piece;
  const std::vector<float> scored = generator.score(generator.encode(all)).token_log_probabilities;
  for (std::size_t i = 0; i < written.size(); ++i) {
    EXPECT_NEAR(written[i].log_probability, scored[prompt.size() + i], 1e-4) << i;
  }
  EXPECT_NE(written[0].log_probability, tokens(0)[0].log_probability);
}

TEST(LanguageGenerator, RunsWithSettingsAsItsVerbWould) {
  const LanguageGenerator generator = random_model(LanguageModelKind::gpt);
  const std::vector<Input> inputs = {{"ab"}};
  const auto found = generator.run(inputs, {{"length", "5"}, {"seed", "9"}});
  EXPECT_EQ(found[0][0].text, generator.generate("ab", {.length = 5, .seed = 9}));
  EXPECT_NE(found[0][0].text, generator.generate("ab", {.length = 5, .seed = 8}));
  const auto tokens = [&](const Settings& settings) {
    return insight::strip_of(generator.trace(inputs, settings)[0], "text").tokens.size();
  };
  EXPECT_EQ(tokens({{"length", "3"}}), tokens({}) + 3);
  EXPECT_EQ(test::message_of<UsageError>([&] {
              generator.trace(inputs, {{"beam", "3"}});
            }),
            "a language model has no setting \"beam\"; it has length");
}

TEST(LanguageGenerator, RefusesAPromptThatTheContextHasNoRoomForUnlessItMayCrop) {
  const LanguageGenerator generator = random_model(LanguageModelKind::gpt);
  try {
    generator.generate("abcabcabc");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("10 tokens, and the model sees 8"), std::string::npos)
        << error.what();
  }
  EXPECT_NO_THROW(generator.generate("abcabcabc", {.length = 2, .long_prompt = LongPrompt::crop}));
}

TEST(LanguageGenerator, ScoresATextAloneOrInManyWindowsTheSame) {
  const LanguageGenerator generator = random_model(LanguageModelKind::recurrent);
  const text::LongText text =
      text::long_text("ab c\nd abc\n\nabcd", generator.tokeniser(), text::LineEnds::token);
  const TextScore whole = generator.score(text);
  const TextScore parts = generator.score(text, {.window = 3});
  ASSERT_EQ(whole.token_log_probabilities.size(), text.tokens.size());
  for (std::size_t i = 0; i < text.tokens.size(); ++i) {
    EXPECT_NEAR(whole.token_log_probabilities[i], parts.token_log_probabilities[i], 1e-5);
  }
  EXPECT_EQ(whole.characters, 16u);
  EXPECT_NEAR(whole.bits_per_character(), whole.loss() / std::log(2.), 1e-9);
  EXPECT_NEAR(whole.perplexity(), std::exp(-whole.log_probability / 16), 1e-6);
}

TEST(LanguageGenerator, SlidesItsWindowSoThatEachTokenCountsOnce) {
  const LanguageGenerator generator = random_model(LanguageModelKind::gpt);
  const text::LongText text =
      text::long_text("abcd abcd abcd abcd", generator.tokeniser(), text::LineEnds::token);
  const TextScore far = generator.score(text);                  // windows of 8, one after another
  const TextScore near = generator.score(text, {.stride = 1});  // each with all it may see
  ASSERT_EQ(far.token_log_probabilities.size(), 19u);
  ASSERT_EQ(near.token_log_probabilities.size(), 19u);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_NEAR(far.token_log_probabilities[i], near.token_log_probabilities[i], 1e-5);
  }
  // Token 15 ends the second window of either.
  EXPECT_NEAR(far.token_log_probabilities[15], near.token_log_probabilities[15], 1e-5);
  EXPECT_GT(std::abs(far.token_log_probabilities[9] - near.token_log_probabilities[9]), 1e-5);
  EXPECT_THROW(generator.score(text, {.window = 9}), UsageError);
}

TEST(LanguageGenerator, ForeseesARepeatedTextBetterWithACache) {
  const LanguageGenerator generator = random_model(LanguageModelKind::recurrent);
  std::string repeated;
  for (int i = 0; i < 20; ++i) repeated += "abc d";
  const text::LongText text =
      text::long_text(repeated, generator.tokeniser(), text::LineEnds::token);
  const double plain = generator.score(text).perplexity();
  const double cached =
      generator.score(text, {.cache = {.size = 50, .theta = 20, .lambda = .5}}).perplexity();
  EXPECT_LT(cached, .8 * plain);
  // Before the first token the cache is empty: it must not know the answer.
  EXPECT_NEAR(generator.score(text, {.cache = {.size = 50, .theta = 20, .lambda = .5}})
                  .token_log_probabilities[0],
              generator.score(text).token_log_probabilities[0], 1e-6);
}

}  // namespace
}  // namespace heed::pipeline
