// SPDX-License-Identifier: Apache-2.0
// A weight for each token, and least mean squares sequence by sequence.
#include "heed/training/token_baseline.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace heed::training {
namespace {

// A loss of one sequence in fifty counts: a batch moves the weights, and does not make them.
constexpr double kRate = 0.02;

std::span<const std::int32_t> tokens_of(const models::Sequences& input, std::int64_t row) {
  const std::int64_t width = input.ids.size(1);
  const std::int64_t length = std::min<std::int64_t>(input.lengths.data()[row], width);
  return input.ids.span().subspan(static_cast<std::size_t>(row * width),
                                  static_cast<std::size_t>(length));
}

double expected_of(std::span<const Real> weights, std::span<const std::int32_t> tokens) {
  if (weights.empty()) return 0;
  double sum = 0;
  for (const std::int32_t token : tokens) {
    const auto at = static_cast<std::size_t>(token) + 1;
    if (at < weights.size()) sum += weights[at];
  }
  return weights[0] + sum / std::sqrt(static_cast<double>(std::max<std::size_t>(tokens.size(), 1)));
}

}  // namespace

Tensor expected_by_tokens(const Tensor& weights, const models::Sequences& input) {
  const std::vector<Real> known = weights.defined() ? weights.values() : std::vector<Real>();
  const models::Sequences packed{input.ids.packed(), input.lengths.packed()};
  Tensor expected({packed.lengths.size()});
  for (std::int64_t row = 0; row < expected.size(); ++row) {
    expected.mutable_data()[row] = static_cast<Real>(expected_of(known, tokens_of(packed, row)));
  }
  return expected;
}

Tensor taught_by_tokens(const Tensor& weights, const models::Sequences& input,
                        const Tensor& losses) {
  const models::Sequences packed{input.ids.packed(), input.lengths.packed()};
  std::vector<Real> learnt = weights.defined() ? weights.values() : std::vector<Real>(1);
  for (const std::int32_t token : packed.ids.span()) {
    if (static_cast<std::size_t>(token) + 1 >= learnt.size()) {
      learnt.resize(static_cast<std::size_t>(token) + 2);
    }
  }
  const std::vector<Real> found = losses.values();
  if (!weights.defined() && !found.empty()) {
    double sum = 0;
    for (const Real loss : found) sum += loss;
    learnt[0] = static_cast<Real>(sum / static_cast<double>(found.size()));  // no first way from 0
  }
  for (std::size_t row = 0; row < found.size(); ++row) {
    const auto tokens = tokens_of(packed, static_cast<std::int64_t>(row));
    const double n = static_cast<double>(std::max<std::size_t>(tokens.size(), 1));
    // |x|^2 is 2 where no token comes twice; where one does it is more, and the step a little long.
    const double step = kRate * (found[row] - expected_of(learnt, tokens)) / 2;
    learnt[0] += static_cast<Real>(step);
    for (const std::int32_t token : tokens) {
      learnt[static_cast<std::size_t>(token) + 1] += static_cast<Real>(step / std::sqrt(n));
    }
  }
  const auto size = static_cast<std::int64_t>(learnt.size());
  Tensor all({size});
  std::ranges::copy(learnt, all.mutable_data());
  return all;
}

}  // namespace heed::training
