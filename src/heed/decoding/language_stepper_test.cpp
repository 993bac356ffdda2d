// SPDX-License-Identifier: Apache-2.0
#include "heed/decoding/language_stepper.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "heed/attention/trace_testing.h"
#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/decoding/search.h"
#include "heed/models/gpt.h"
#include "heed/models/language_testing.h"
#include "heed/models/recurrent_language_model.h"

namespace heed::decoding {
namespace {

models::RecurrentLanguageModel recurrent() {
  Random random(1);
  return {{.vocabulary = 9, .embedding = 8, .hidden = 8, .attention = "dot", .span = 3}, random};
}

models::Gpt gpt(std::int64_t context) {
  Random random(2);
  models::GptOptions options{.vocabulary = 9, .context = context};
  options.stack.width = 8;
  options.stack.heads = 2;
  options.stack.inner = 8;
  options.stack.layers = 1;
  return {options, random};
}

// log-probabilities of what follows `text`, read again.
Tensor anew(const models::LanguageModel& model, const text::Tokens& text) {
  const NoGradient values_only;
  const auto length = static_cast<std::int64_t>(text.size());
  const Ids tokens = Ids::of({1, length}, std::span<const std::int32_t>(text));
  const Variable hidden = select(model.read(model.start(1), tokens, {}).hidden, 1, length - 1);
  return log_softmax(model.logits(hidden)).value();
}

template <typename Model>
void expect_steps_like_reading(const Model& model) {
  LanguageStepper stepper(model, {4, 5, 6});
  text::Tokens text = {4, 5, 6};
  Tensor found = stepper.step(Ids::of({1}, {text::kBegin}), nullptr);
  for (const text::Token token : {7, 8, 4, 6}) {
    EXPECT_LE(models::testing::largest_difference(found, anew(model, text)), 1e-5);
    text.push_back(token);
    found = stepper.step(Ids::of({1}, {token}), nullptr);
  }
}

TEST(LanguageStepper, ScoresWhatFollowsAsIfAllWereReadAnew) {
  expect_steps_like_reading(recurrent());
  expect_steps_like_reading(gpt(16));
}

TEST(LanguageStepper, GoesOnFromTheLastHalfOfAFullContext) {
  const models::Gpt model = gpt(6);
  LanguageStepper stepper(model, {4, 5, 6, 7, 8, 4, 5, 6, 7});  // its last six are read
  stepper.step(Ids::of({1}, {text::kBegin}), nullptr);
  const Tensor found = stepper.step(Ids::of({1}, {8}), nullptr);
  EXPECT_LE(models::testing::largest_difference(found, anew(model, {6, 7, 8})), 1e-5);
  for (int i = 0; i < 40; ++i) stepper.step(Ids::of({1}, {4 + i % 3}), nullptr);
}

TEST(LanguageStepper, IsSearchedLikeAnyOther) {
  const models::RecurrentLanguageModel model = recurrent();
  LanguageStepper stepper(model, {4, 5});
  const auto best = beam_search(stepper, {.width = 3, .constraints = {.most = {.constant = 4}}});
  LanguageStepper again(model, {4, 5});
  const auto one = greedy(again, {.constraints = {.most = {.constant = 4}}});
  EXPECT_GE(best.front().front().log_probability, one.front().log_probability - 1e-5);
}

TEST(LanguageStepper, GivesWordsThatCameBeforeMoreProbabilityWithACache) {
  const models::RecurrentLanguageModel model = recurrent();
  LanguageStepper plain(model, {4, 5, 4, 5, 4});
  LanguageStepper caching(model, {4, 5, 4, 5, 4},
                          {.cache = {.size = 10, .theta = 1, .lambda = .4}});
  const Ids begin = Ids::of({1}, {text::kBegin});
  const Tensor without = plain.step(begin, nullptr);
  const Tensor with = caching.step(begin, nullptr);
  EXPECT_GT(with.at({0, 5}), without.at({0, 5}));
  EXPECT_LT(with.at({0, 7}), without.at({0, 7}));
}

// Rows that part, change places and part again, against a stepper for each text.
template <typename Model>
void expect_rows_go_on_as_if_alone(const Model& model) {
  const LanguageStepperOptions options{.cache = {.size = 4, .theta = 1, .lambda = .5}};
  const text::Tokens prompt = {4, 5, 6};
  LanguageStepper stepper(model, prompt, options);
  Tensor found = stepper.step(Ids::of({1}, {text::kBegin}), nullptr);
  std::vector<text::Tokens> texts = {{}};
  const auto reorder = [&](const std::vector<std::int32_t>& rows) {
    std::vector<text::Tokens> moved;
    for (const std::int32_t row : rows) moved.push_back(texts[static_cast<std::size_t>(row)]);
    texts = moved;
    stepper.reorder(Ids::of({static_cast<std::int64_t>(rows.size())}, rows));
  };
  const auto step = [&](const text::Tokens& tokens) {
    for (std::size_t i = 0; i < tokens.size(); ++i) texts[i].push_back(tokens[i]);
    found = stepper.step(Ids::of({static_cast<std::int64_t>(tokens.size())}, tokens), nullptr);
    for (std::size_t i = 0; i < texts.size(); ++i) {
      LanguageStepper alone(model, prompt, options);
      Tensor expected = alone.step(Ids::of({1}, {text::kBegin}), nullptr);
      for (const text::Token token : texts[i])
        expected = alone.step(Ids::of({1}, {token}), nullptr);
      const auto row = static_cast<std::int64_t>(i);
      EXPECT_LE(models::testing::largest_difference(found.slice(0, row, row + 1), expected), 1e-5)
          << "row " << i << " after " << texts[i].size() << " tokens";
    }
  };
  reorder({0, 0, 0});
  step({4, 7, 8});
  step({5, 5, 6});
  reorder({2, 0, 2});
  step({7, 4, 8});
  reorder({1, 2});
  for (const text::Token token : {4, 5, 6, 7, 8}) step({token, 8});  // past ring and context
}

TEST(LanguageStepper, KeepsTheCachesOfReorderedRowsApart) {
  expect_rows_go_on_as_if_alone(recurrent());
  expect_rows_go_on_as_if_alone(gpt(6));
}

TEST(LanguageStepper, RemembersEveryTokenOnceThoughAFullContextIsReadAgain) {
  const models::Gpt model = gpt(6);
  const text::Tokens prompt = {4, 5, 6, 7};
  LanguageStepper plain(model, prompt);
  // Without regard to likeness: words by how often they came.
  LanguageStepper caching(model, prompt, {.cache = {.size = 20, .theta = 0, .lambda = .5}});
  text::Tokens remembered = {5, 6, 7};
  const Ids begin = Ids::of({1}, {text::kBegin});
  Tensor without = plain.step(begin, nullptr), with = caching.step(begin, nullptr);
  for (const text::Token token : {8, 4, 4, 5, 8, 4}) {
    for (text::Token word = 0; word < 9; ++word) {
      const auto came = static_cast<double>(std::ranges::count(remembered, word));
      const double mixed = .5 * std::exp(static_cast<double>(without.at({0, word}))) +
                           .5 * came / static_cast<double>(remembered.size());
      EXPECT_NEAR(std::exp(static_cast<double>(with.at({0, word}))), mixed, 1e-5)
          << "word " << word << " behind " << remembered.size() << " words";
    }
    remembered.push_back(token);
    without = plain.step(Ids::of({1}, {token}), nullptr);
    with = caching.step(Ids::of({1}, {token}), nullptr);
  }
}

TEST(LanguageStepper, TracesTheEndOfThePromptThatItReads) {
  const models::Gpt model = gpt(6);
  attention::Trace trace;
  const LanguageStepper stepper(model, {4, 5, 6, 7, 8, 4, 5, 6, 7}, {.watch = &trace});
  EXPECT_EQ(stepper.prompt_read(), 6);
  ASSERT_FALSE(trace.entries().empty());
  EXPECT_EQ(trace.entries().front().site.set, "decoder self");
  attention::testing::expect_distributions(trace.entries().front().weights,
                                           [](auto q, auto k) { return k <= q; });
}

TEST(LanguageStepper, RefusesAPromptWithoutAToken) {
  const models::RecurrentLanguageModel model = recurrent();
  EXPECT_THROW(LanguageStepper(model, {}), UsageError);
}

}  // namespace
}  // namespace heed::decoding
