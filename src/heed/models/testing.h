// SPDX-License-Identifier: Apache-2.0
// What every encoder-decoder must hold, as checks that tests of models call.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "heed/autograd/ops.h"
#include "heed/kernels/optimisers.h"
#include "heed/models/encoder_decoder.h"

namespace heed::models::testing {

// Random pieces of `vocabulary`, each row ending with text::kEnd.
inline Sequences random_sequences(const std::vector<int>& lengths, std::int64_t vocabulary,
                                  Random& random) {
  std::vector<text::Tokens> rows;
  for (const int length : lengths) {
    text::Tokens& row = rows.emplace_back();
    for (int i = 1; i < length; ++i) {
      row.push_back(text::kFirstPiece + static_cast<text::Token>(random.integer(
                                            static_cast<std::uint64_t>(vocabulary) - 4)));
    }
    row.push_back(text::kEnd);
  }
  return sequences(text::pad_rows(rows));
}

inline Sequences row_of(const Sequences& all, std::int64_t row) {
  const std::int32_t length = all.lengths.span()[static_cast<std::size_t>(row)];
  return {all.ids.slice(0, row, row + 1).slice(1, 0, length).clone(), Ids::of({1}, {length})};
}

inline Source row_of(const Source& all, std::int64_t row) {
  Source mine(row_of(all.sentences, row));
  if (all.copies.defined()) {
    mine.copies = all.copies.slice(0, row, row + 1).slice(1, 0, mine.sentences.ids.size(1)).clone();
  }
  if (all.before.rows.defined()) {
    mine.before = all.before;
    mine.before.rows = all.before.rows.slice(0, row, row + 1).clone();
  }
  return mine;
}

// A source with sentences before it: two before the first, none before the last, one in between.
inline Source with_context(Sequences sentences, Random& random) {
  const std::int64_t count = sentences.lengths.size();
  Source source(std::move(sentences));
  source.before = {random_sequences({3, 5}, 7, random), random_sequences({4, 2}, 7, random),
                   Ids::full({count, 2}, -1)};
  for (std::int64_t b = 0; b + 1 < count; ++b) {
    source.before.rows.mutable_data()[2 * b] = 1;
    if (b == 0) source.before.rows.mutable_data()[1] = 0;
  }
  return source;
}

inline double largest_difference(const Tensor& a, const Tensor& b) {
  EXPECT_EQ(a.shape(), b.shape());
  double largest = 0;
  const auto x = a.values();
  const auto y = b.values();
  for (std::size_t i = 0; i < x.size(); ++i) {
    largest = std::max(largest, static_cast<double>(std::abs(x[i] - y[i])));
  }
  return largest;
}

// decode() of a sentence alone = its rows of a padded batch = its tokens stepped one by one.
inline void expect_batches_and_steps_agree(const EncoderDecoder& model, const Source& source,
                                           const Sequences& target, double tolerance = 1e-5) {
  const NoGradient no_graph;
  const Tensor batched = model.decode(model.encode(source, {}), target, {}).logits.value();
  std::int64_t first = 0;
  for (std::int64_t b = 0; b < source.sentences.lengths.size(); ++b) {
    const Sequences mine = row_of(target, b);
    const std::int64_t length = mine.ids.size(1);
    const Encoded encoded = model.encode(row_of(source, b), {});
    const Tensor rows = batched.slice(0, first, first + length);
    EXPECT_LE(largest_difference(model.decode(encoded, mine, {}).logits.value(), rows), tolerance)
        << "sentence " << b << " alone";
    const Ids before = shifted(mine.ids);
    DecoderState state = model.start(encoded);
    for (std::int64_t t = 0; t < length; ++t) {
      Step step = model.step(encoded, state, Ids::of({1}, {before.at({0, t})}), {});
      EXPECT_LE(largest_difference(step.logits.value(), rows.slice(0, t, t + 1)), tolerance)
          << "sentence " << b << ", step " << t;
      state = std::move(step.state);
    }
    first += length;
  }
}

// Hypotheses that change places continue as if they had been there from the beginning.
inline void expect_rows_can_be_reordered(const EncoderDecoder& model, const Source& source) {
  const NoGradient no_graph;
  const Encoded encoded = model.encode(source, {});
  const std::int64_t count = source.sentences.lengths.size();
  Ids tokens = Ids::full({count}, text::kBegin);
  DecoderState state = model.start(encoded);
  for (int t = 0; t < 2; ++t) {
    state = model.step(encoded, state, tokens, {}).state;
    for (std::int64_t i = 0; i < count; ++i) {
      tokens.mutable_data()[i] = text::kFirstPiece + static_cast<std::int32_t>(i % 3);
    }
  }
  const Tensor straight = model.step(encoded, state, tokens, {}).logits.value();
  const auto last = static_cast<std::int32_t>(count - 1);
  const Ids rows = Ids::of({3}, {last, 0, last});
  const Ids kept = Ids::of({3}, {tokens.at({last}), tokens.at({0}), tokens.at({last})});
  const Tensor moved =
      model.step(encoded.reordered(rows), state.reordered(rows), kept, {}).logits.value();
  for (int i = 0; i < 3; ++i) {
    EXPECT_LE(largest_difference(moved.slice(0, i, i + 1),
                                 straight.slice(0, rows.at({i}), rows.at({i}) + 1)),
              1e-5);
  }
}

inline Variable loss_of(const EncoderDecoder& model, const Source& source, const Sequences& target,
                        const Call& call = {}) {
  return cross_entropy(model.decode(model.encode(source, call), target, call).logits,
                       packed_targets(target));
}

// Every parameter has a gradient, and the gradient is the slope of the loss: central differences
// along one element in `stride` of each parameter. Needs double.
template <typename Loss>
void expect_slopes(nn::Parameters all, const Loss& loss, std::int64_t stride = 7) {
  backward(loss());
  const NoGradient no_graph;
  for (nn::Parameter& parameter : all) {
    ASSERT_TRUE(parameter.variable.gradient().defined()) << parameter.name;
    const std::vector<Real> slopes = parameter.variable.gradient().values();
    Real* values = parameter.variable.mutable_value().mutable_data();
    for (std::int64_t i = 0; i < parameter.variable.value().size(); i += stride) {
      const Real step = Real(1e-5);
      const Real before = values[i];
      values[i] = before + step;
      const double above = loss().item();
      values[i] = before - step;
      const double below = loss().item();
      values[i] = before;
      const double slope = (above - below) / (2 * static_cast<double>(step));
      EXPECT_NEAR(slopes[static_cast<std::size_t>(i)], slope, 1e-6 * std::max(1.0, std::abs(slope)))
          << parameter.name << "[" << i << "]";
    }
  }
}

inline void expect_gradients_are_slopes(EncoderDecoder& model, const Source& source,
                                        const Sequences& target, std::int64_t stride = 7) {
  expect_slopes(
      nn::parameters(model), [&] { return loss_of(model, source, target); }, stride);
}

// One update of Adam after another.
class Learner {
 public:
  explicit Learner(nn::Parameters parameters) : parameters_(std::move(parameters)) {
    for (const nn::Parameter& parameter : parameters_) {
      means_.push_back(Tensor::zeros(parameter.variable.shape()));
      squares_.push_back(Tensor::zeros(parameter.variable.shape()));
    }
  }
  void update(double learning_rate) {
    ++step_;
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      Variable& variable = parameters_[i].variable;
      const Tensor gradient = variable.gradient().packed();
      kernels::adam<Real>({.parameters = variable.mutable_value().mutable_data(),
                           .gradient = gradient.data(),
                           .count = static_cast<std::size_t>(gradient.size()),
                           .learning_rate = learning_rate},
                          {means_[i].mutable_data(), squares_[i].mutable_data()}, {.step = step_});
    }
    nn::clear_gradients(parameters_);
  }

 private:
  nn::Parameters parameters_;
  std::vector<Tensor> means_, squares_;
  std::int64_t step_ = 0;
};

}  // namespace heed::models::testing
