// SPDX-License-Identifier: Apache-2.0
// Traces of language models: reading at once, in windows and token by token agree.
#include "heed/pipeline/language/language_trace.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "heed/attention/trace_testing.h"
#include "heed/base/error.h"
#include "heed/pipeline/language/language_generator.h"
#include "heed/pipeline/language/language_options.h"

namespace heed::pipeline {
namespace {

using attention::testing::expect_distributions;
using attention::testing::expect_same_looks;

TokeniserPointer letters_of_lines() {
  const std::vector<std::string> lines = {"abc d"};
  return text::train_tokeniser(
      {.kind = text::TokeniserKind::characters, .spaces = text::Spaces::kept}, lines);
}

struct Small {
  LanguageModelKind kind = LanguageModelKind::gpt;
  std::int64_t longest = 8;
  std::int64_t span = 100;
  std::int64_t memory = 0;
  models::CompressionKind compression = models::CompressionKind::none;
};

LanguageGenerator random_model(const Small& small) {
  LanguageModelOptions options;
  options.model = small.kind;
  options.embedding = options.hidden = options.stack.width = 8;
  options.stack.heads = 2;
  options.stack.inner = 8;
  options.stack.layers = 2;
  options.stack.longest = small.longest;
  options.stack.positions = models::Positions::learned;
  if (small.kind == LanguageModelKind::transformer_xl) {
    options.stack.positions = models::Positions::distances;
  }
  options.attention = "scaled_dot";
  options.span = small.span;
  options.memory = small.memory;
  options.compression = small.compression;
  options.slots = options.compression_rate = 2;
  Random random(3);
  TokeniserPointer tokeniser = letters_of_lines();
  std::shared_ptr<models::LanguageModel> model =
      make_language_model(options, tokeniser->size(), random);
  return {tokeniser, model, text::LineEnds::token};
}

const insight::AttentionSet& only_set(const insight::TracedExample& example) {
  EXPECT_NO_THROW(insight::check({.examples = {example}}));
  EXPECT_EQ(example.attentions.size(), 1u);
  return example.attentions.front();
}

TEST(LanguageTrace, OfAGptSeesTheTokensReadSoFar) {
  const LanguageGenerator generator = random_model({.longest = 32});
  const Continuation found =
      generator.continuation("ab c", {.length = 6, .greedy = true, .trace = true});
  const insight::AttentionSet& set = only_set(found.trace);
  EXPECT_EQ(set.kind, "decoder self");
  EXPECT_TRUE(set.stepwise);
  EXPECT_EQ(set.heads.size(), 4u);
  // The end before the text, four letters, and five of six that were written are read.
  const insight::TokenStrip& read = insight::strip_of(found.trace, "text");
  const insight::TokenStrip& next = insight::strip_of(found.trace, "next");
  ASSERT_EQ(read.tokens.size(), 10u);
  EXPECT_TRUE(std::equal(read.tokens.begin() + 1, read.tokens.end(), next.tokens.begin()));
  for (const insight::TracedHead& head : set.heads) {
    expect_distributions(head.weights, [](auto q, auto k) { return k <= q; });
  }
}

TEST(LanguageTrace, OfARecurrentModelSeesItsSpanOfStatesBefore) {
  const LanguageGenerator generator =
      random_model({.kind = LanguageModelKind::recurrent, .span = 3});
  const Continuation found =
      generator.continuation("ab c", {.length = 6, .greedy = true, .trace = true});
  const insight::AttentionSet& set = only_set(found.trace);
  EXPECT_EQ(set.kind, "history");
  EXPECT_EQ(set.keys, "past");
  EXPECT_EQ(insight::strip_of(found.trace, "past").tokens.front(), "start");
  expect_distributions(set.heads[0].weights, [](auto q, auto k) { return k <= q && k > q - 3; });
}

TEST(LanguageTrace, OfAGeneratedTextIsThatOfTheTextScored) {
  for (const LanguageModelKind kind : {LanguageModelKind::recurrent, LanguageModelKind::gpt}) {
    const LanguageGenerator generator = random_model({.kind = kind, .longest = 32, .span = 4});
    const Continuation found =
        generator.continuation("ab", {.length = 7, .greedy = true, .trace = true});
    const text::LongText whole =
        text::long_text("ab" + found.text, generator.tokeniser(), text::LineEnds::token);
    for (const std::int64_t window : {0, 3}) {
      if (kind == LanguageModelKind::gpt && window > 0) continue;  // it would see less
      const TextScore score = generator.score(whole, {.window = window, .trace = true});
      const insight::AttentionSet& a = only_set(found.trace);
      const insight::AttentionSet& b = only_set(score.trace);
      ASSERT_EQ(a.heads.size(), b.heads.size());
      for (std::size_t h = 0; h < a.heads.size(); ++h) {
        expect_same_looks(a.heads[h].weights, b.heads[h].weights, 1e-5);
      }
      EXPECT_EQ(insight::strip_of(found.trace, "next").tokens,
                insight::strip_of(score.trace, "next").tokens);
    }
  }
}

TEST(LanguageTrace, KeepsItsPlaceWhenAFullContextBeginsAnew) {
  const LanguageGenerator generator = random_model({.longest = 6});
  const Continuation found =
      generator.continuation("ab", {.length = 12, .greedy = true, .trace = true});
  const Tensor& weights = only_set(found.trace).heads[0].weights;
  ASSERT_EQ(weights.shape(), Shape({14, 14}));
  // Six tokens are read; the seventh is read again with the two before it, and so on.
  expect_distributions(weights, [](auto q, auto k) {
    const auto first = q < 6 ? 0 : (q - 6) / 4 * 4 + 4;
    return k <= q && k >= first;
  });
}

TEST(LanguageTrace, OfSegmentsSeesTheMemoryBeforeEach) {
  const LanguageGenerator generator =
      random_model({.kind = LanguageModelKind::transformer_xl, .longest = 4, .memory = 3});
  const text::LongText text =
      text::long_text("abcabcabcab", generator.tokeniser(), text::LineEnds::token);
  const auto sees = [](auto q, auto k) { return k <= q && k >= q / 4 * 4 - 3; };
  for (const std::int64_t window : {0, 3, 12}) {
    const TextScore score = generator.score(text, {.window = window, .trace = true});
    expect_distributions(only_set(score.trace).heads[0].weights, sees);
  }
  const Continuation found =
      generator.continuation("abcabc", {.length = 6, .greedy = true, .trace = true});
  expect_distributions(only_set(found.trace).heads[0].weights, sees);
}

TEST(LanguageTrace, OfCompressedMemoriesLeavesSlotsOut) {
  const LanguageGenerator generator = random_model({.kind = LanguageModelKind::transformer_xl,
                                                    .longest = 4,
                                                    .memory = 4,
                                                    .compression = models::CompressionKind::mean});
  const text::LongText text =
      text::long_text("abcabcabcab", generator.tokeniser(), text::LineEnds::token);
  const Tensor weights =
      only_set(generator.score(text, {.trace = true}).trace).heads[0].weights.packed();
  const auto sum = [&](std::int64_t q) {
    double total = 0;
    for (std::int64_t k = 0; k < 11; ++k) {
      const Real weight = weights.at({q, k});
      EXPECT_EQ(attention::is_masked(weight), k > q || k < q / 4 * 4 - 4) << q << " " << k;
      total += static_cast<double>(attention::share_of(weight));
    }
    return total;
  };
  EXPECT_NEAR(sum(7), 1, 1e-5);
  EXPECT_LT(sum(8), .99) << "the slots of the first segment have the rest";
}

TEST(LanguageTrace, OfWindowsSeesWhatEachWindowHolds) {
  const LanguageGenerator generator = random_model({.longest = 4});
  const text::LongText text =
      text::long_text("abcabcab", generator.tokeniser(), text::LineEnds::token);
  const TextScore score = generator.score(text, {.window = 4, .stride = 2, .trace = true});
  // Windows 0 to 3, then 2 to 5 and 4 to 7, of which the last two count.
  expect_distributions(only_set(score.trace).heads[0].weights, [](auto q, auto k) {
    return k <= q && k >= (q < 4 ? 0 : q < 6 ? 2 : 4);
  });
}

TEST(LanguageTrace, HasNoAttentionForAModelWithoutAny) {
  LanguageModelOptions options;
  options.model = LanguageModelKind::recurrent;
  options.attention = "none";
  Random random(3);
  TokeniserPointer tokeniser = letters_of_lines();
  const LanguageGenerator generator(
      tokeniser, make_language_model(options, tokeniser->size(), random), text::LineEnds::token);
  const Continuation found = generator.continuation("a", {.length = 2, .trace = true});
  EXPECT_TRUE(found.trace.attentions.empty());
}

TEST(LanguageTrace, RefusesATextThatWouldNotFit) {
  LanguageTrace trace;
  attention::Trace left;
  left.add({.set = "decoder self"}, 0, Tensor::full({1, 1, 1, 1}, 1));
  EXPECT_NO_THROW(trace.add(left, {.read = 1 << 14, .rows = 1}));
  EXPECT_THROW(trace.add(left, {.read = (1 << 14) + 1, .rows = 1}), UsageError);
}

TEST(LanguageTrace, CountsWordsThroughLinesAndGivesEndsNone) {
  const TokeniserPointer tokeniser = letters_of_lines();
  const text::LongText text = text::long_text("ab c\nd", *tokeniser, text::LineEnds::token);
  const TracedTokens tokens = traced_tokens(*tokeniser, text.tokens);
  EXPECT_EQ(tokens.words.size(), text.tokens.size());
  EXPECT_EQ(tokens.words.front(), 0);
  EXPECT_EQ(tokens.words[4], -1);  // the end of the first line
  EXPECT_EQ(tokens.words.back(), 2);
}

TEST(LanguageTrace, ShowsThePromptAsItWasWritten) {
  using Tokens = std::vector<std::string>;
  for (const LanguageModelKind kind : {LanguageModelKind::gpt, LanguageModelKind::recurrent}) {
    const LanguageGenerator generator = random_model({.kind = kind});
    const auto strip = [](const insight::TracedExample& example, const char* name) {
      return insight::strip_of(example, name).tokens;
    };
    const insight::TracedExample written =
        generator.continuation("aZb", {.length = 1, .trace = true}).trace;
    EXPECT_EQ(strip(written, "text"), (Tokens{"</s>", "a", "Z(?)", "b"}));
    const std::vector<Input> inputs = {{"aZb", ""}};
    const insight::TracedExample read = generator.trace(inputs).front();
    EXPECT_EQ(strip(read, "next"), (Tokens{"a", "Z(?)", "b"}));
    EXPECT_EQ(strip(read, "text"), (Tokens{"</s>", "a", "Z(?)"}));
    if (kind == LanguageModelKind::recurrent) {
      EXPECT_EQ(strip(read, "past"), (Tokens{"start", "</s>", "a"}));
    }
  }
}

}  // namespace
}  // namespace heed::pipeline
