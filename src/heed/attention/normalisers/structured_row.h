// SPDX-License-Identifier: Apache-2.0
// The rows of a normaliser whose weights are the expectation of a structure, of any type.
#pragma once

#include <algorithm>
#include <span>

#include "heed/attention/normalisers/row_math.h"
#include "heed/attention/normalisers/row_structure.h"

namespace heed::attention {

// The row in double. An infinite score counts as one of 1e300: it rules a key out, or in, and sums
// over a row stay finite.
template <typename T>
Row<double> clamped_row(const Row<T>& row) {
  const auto scores = row_memory<double, Purpose::scores>(row.scores.size());
  std::transform(row.scores.begin(), row.scores.end(), scores.begin(),
                 [](T score) { return std::clamp(static_cast<double>(score), -1e300, 1e300); });
  const auto parameters = row_memory<double, Purpose::parameters>(row.parameters.size());
  std::copy(row.parameters.begin(), row.parameters.end(), parameters.begin());
  return {.scores = scores,
          .keys = row.keys,
          .head = row.head,
          .parameters = parameters,
          .random = row.random};
}

// Runs f(row, upstream, gradient) in double and hands its gradient over.
template <typename T, typename F>
void backward_in_double(const Row<T>& row, std::span<const T> upstream,
                        const RowGradient<T>& gradient, const F& f) {
  const auto g = row_memory<double, Purpose::upstream>(upstream.size());
  std::copy(upstream.begin(), upstream.end(), g.begin());
  const auto d_scores = row_memory<double, Purpose::gradient>(upstream.size());
  double d_parameters[2] = {};  // no structure has more
  const std::size_t wanted = gradient.parameters.size();
  f(clamped_row(row), std::span<const double>(g),
    RowGradient<double>{.scores = d_scores, .parameters = std::span(d_parameters).first(wanted)});
  std::transform(d_scores.begin(), d_scores.end(), gradient.scores.begin(),
                 [](double value) { return static_cast<T>(value); });
  for (std::size_t i = 0; i < wanted; ++i) {
    gradient.parameters[i] += static_cast<T>(d_parameters[i]);
  }
}

// The marginals as weights. A NaN among the scores makes all of them NaN.
template <typename T>
void expected_choice(const RowStructure& structure, const Row<T>& row, std::span<T> weights) {
  if (has_nan(row.scores)) return fill_with_nan(weights);
  const auto mu = row_memory<double, Purpose::probabilities>(weights.size());
  structure.marginals(clamped_row(row), mu);
  std::transform(mu.begin(), mu.end(), weights.begin(),
                 [](double value) { return static_cast<T>(value); });
}
template <typename T>
void expected_choice_backward(const RowStructure& structure, const Row<T>& row,
                              const RowUpstream<T>& upstream, const RowGradient<T>& gradient) {
  if (has_nan(row.scores)) return fill_with_nan(gradient.scores);
  backward_in_double(
      row, upstream.weights, gradient,
      [&](const Row<double>& wide, std::span<const double> g, const RowGradient<double>& d) {
        structure.marginals_backward(wide, g, d);
      });
}

// A structure as a normaliser: its weights are the marginals.
struct ExpectedChoice : RowStructure {
  template <typename T>
  void forward(const Row<T>& row, std::span<T> weights) const {
    expected_choice(*this, row, weights);
  }
  template <typename T>
  void backward(const Row<T>& row, std::span<const T>, const RowUpstream<T>& upstream,
                const RowGradient<T>& gradient) const {
    expected_choice_backward(*this, row, upstream, gradient);
  }
  double maximum(std::span<const double> theta) const {
    return log_partition({.scores = theta, .keys = {}});
  }
};

}  // namespace heed::attention
