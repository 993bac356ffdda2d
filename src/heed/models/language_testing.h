// SPDX-License-Identifier: Apache-2.0
// What every language model must hold, as checks that tests of models call.
#pragma once

#include <gtest/gtest.h>

#include "heed/autograd/ops.h"
#include "heed/models/language_model.h"
#include "heed/models/testing.h"

namespace heed::models::testing {

inline Ids random_tokens(const Shape& shape, std::int64_t vocabulary, Random& random) {
  Ids ids(shape);
  for (std::int64_t i = 0; i < ids.size(); ++i) {
    ids.mutable_data()[i] =
        static_cast<std::int32_t>(random.integer(static_cast<std::uint64_t>(vocabulary)));
  }
  return ids;
}

inline Tensor logits_of(const LanguageModel& model, const Ids& tokens) {
  return model.logits(model.read(model.start(tokens.size(0)), tokens, {}).hidden).value();
}

// A text read alone = its row of a batch = in two parts, the state carried = token by token.
inline void expect_reads_agree(const LanguageModel& model, std::int64_t length,
                               double tolerance = 1e-5) {
  const NoGradient no_graph;
  Random random(11);
  const Ids tokens = random_tokens({3, length}, model.vocabulary(), random);
  const Tensor whole = logits_of(model, tokens);  // [3,T,V]
  for (std::int64_t b = 0; b < 3; ++b) {
    EXPECT_LE(largest_difference(logits_of(model, tokens.slice(0, b, b + 1).clone()),
                                 whole.slice(0, b, b + 1)),
              tolerance)
        << "row " << b << " alone";
  }
  const std::int64_t cut = length / 3;
  const Reading first = model.read(model.start(3), tokens.slice(1, 0, cut).clone(), {});
  const Reading second =
      model.read(first.state.detached(), tokens.slice(1, cut, length).clone(), {});
  EXPECT_LE(
      largest_difference(model.logits(second.hidden).value(), whole.slice(1, cut, length).clone()),
      tolerance)
      << "in two parts";
  DecoderState state = model.start(3);
  for (std::int64_t t = 0; t < length; ++t) {
    Step step = model.step(state, tokens.select(1, t).clone(), {});
    EXPECT_LE(largest_difference(step.logits.value(), whole.select(1, t).clone()), tolerance)
        << "step " << t;
    state = std::move(step.state);
  }
  const Ids rows = Ids::of({2}, {2, 0});
  const Ids next = Ids::of({3}, {0, 1, 2});
  if (model.longest() == 0 || state.step < model.longest()) {
    const Tensor straight = model.step(state, next, {}).logits.value();
    const Tensor moved = model.step(state.reordered(rows), Ids::of({2}, {2, 0}), {}).logits.value();
    EXPECT_LE(largest_difference(moved.slice(0, 0, 1), straight.slice(0, 2, 3)), tolerance);
    EXPECT_LE(largest_difference(moved.slice(0, 1, 2), straight.slice(0, 0, 1)), tolerance);
  }
}

// No token sees a later one: changing the last changes no logits before it.
inline void expect_no_look_ahead(const LanguageModel& model, std::int64_t length) {
  const NoGradient no_graph;
  Random random(12);
  Ids tokens = random_tokens({1, length}, model.vocabulary(), random);
  const Tensor before = logits_of(model, tokens).slice(1, 0, length - 1).clone();
  std::int32_t& last = tokens.mutable_data()[length - 1];
  last = (last + 1) % static_cast<std::int32_t>(model.vocabulary());
  const Tensor after = logits_of(model, tokens).slice(1, 0, length - 1).clone();
  EXPECT_EQ(largest_difference(before, after), 0);
}

// The loss of a text whose first part is a carried state.
inline Variable language_loss(const LanguageModel& model, const Ids& tokens, const Ids& targets) {
  const std::int64_t cut = tokens.size(1) / 2;
  const Reading first =
      model.read(model.start(tokens.size(0)), tokens.slice(1, 0, cut).clone(), {});
  const Reading second = model.read(first.state, tokens.slice(1, cut, tokens.size(1)).clone(), {});
  const Variable logits = concat({model.logits(first.hidden), model.logits(second.hidden)}, 1);
  return cross_entropy(reshape(logits, {-1, model.vocabulary()}),
                       targets.reshape({targets.size()}));
}

// Every parameter's gradient is the slope of that loss. Needs double.
inline void expect_gradients_are_slopes(LanguageModel& model, std::int64_t length) {
  Random random(13);
  const Ids tokens = random_tokens({2, length}, model.vocabulary(), random);
  const Ids targets = random_tokens({2, length}, model.vocabulary(), random);
  expect_slopes(nn::parameters(model), [&] { return language_loss(model, tokens, targets); });
}

}  // namespace heed::models::testing
