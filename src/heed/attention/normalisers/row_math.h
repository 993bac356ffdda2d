// SPDX-License-Identifier: Apache-2.0
// What several normalisers do with a row: softmax with a temperature, sums in double, and memory.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "heed/attention/normaliser.h"
#include "heed/kernels/attention/sparse_rows.h"
#include "heed/kernels/softmax.h"

namespace heed::attention {

// Memory of this thread for n items; it grows and stays, so that rows allocate nothing. Each
// purpose has its own.
enum class Purpose {
  scores,
  probabilities,
  gradient,
  bounds,
  upstream,
  parameters,
  chart,
  // Of parts that call another part, which has the ones above.
  of_scores,
  of_parameters,
  of_bounds,
  of_weights,
  of_upstream,
  of_gradient,
  of_parameter_gradient,
  of_bound_gradient,
  drawn,
  draw_upstream,
  draw_gradient
};
template <typename T, Purpose kPurpose>
std::span<T> row_memory(std::size_t n) {
  thread_local std::vector<T> memory;
  if (memory.size() < n) memory.resize(n);
  return std::span(memory).first(n);
}

template <typename T>
T largest(std::span<const T> scores) {
  return *std::max_element(scores.begin(), scores.end());
}

template <typename T>
bool has_nan(std::span<const T> scores) {
  return std::any_of(scores.begin(), scores.end(), [](T score) { return std::isnan(score); });
}

// Scores of which sparse weights can be made: neither NaN nor an infinite maximum.
template <typename T>
bool is_usable(std::span<const T> scores) {
  return !has_nan(scores) && std::isfinite(largest(scores));
}

template <typename T>
void fill_with_nan(std::span<T> weights) {
  std::fill(weights.begin(), weights.end(), std::numeric_limits<T>::quiet_NaN());
}

template <typename A, typename B>
double inner_product(std::span<A> a, std::span<B> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i]) * b[i];
  return sum;
}

// p = exp((z - max) / temperature) / sum, the maximum taken away before scaling so that no score
// overflows. p may be z. The temperature is above 0.
template <typename T>
void softmax_row(std::span<const T> z, double temperature, std::span<T> p) {
  if (temperature == 1) {
    kernels::softmax(z.data(), p.data(), 1, z.size());
    return;
  }
  const T top = largest(z);
  const T shift = std::isfinite(top) ? top : T{0};
  for (std::size_t i = 0; i < z.size(); ++i) {
    p[i] = static_cast<T>((static_cast<double>(z[i]) - shift) / temperature);
  }
  kernels::softmax(p.data(), p.data(), 1, p.size());
}

// dz = p (g - <p, g>) / temperature
template <typename T>
void softmax_row_backward(std::span<const T> p, std::span<const T> g, double temperature,
                          std::span<T> dz) {
  kernels::softmax_backward(p.data(), g.data(), dz.data(), 1, p.size());
  if (temperature == 1) return;
  for (T& value : dz) value = static_cast<T>(value / temperature);
}

// The sparsemax of scores in double.
template <typename T>
void sparsemax_row(std::span<const double> y, std::span<T> weights) {
  const auto p = row_memory<double, Purpose::probabilities>(y.size());
  kernels::sparsemax(y.data(), p.data(), 1, p.size());
  std::transform(p.begin(), p.end(), weights.begin(),
                 [](double value) { return static_cast<T>(value); });
}

// Weight 1 on the largest, the first of equals.
template <typename T, typename S>
void one_hot_of_largest(std::span<const S> scores, std::span<T> weights) {
  const auto best = std::max_element(scores.begin(), scores.end()) - scores.begin();
  std::fill(weights.begin(), weights.end(), T{0});
  weights[static_cast<std::size_t>(best)] = 1;
}

// -log(-log u), u this key's draw kept away from 0 and 1; 0 where the likeliest is wanted.
inline double gumbel(const RowRandom& random, std::int32_t key, std::uint32_t draw = 0) {
  if (random.likeliest) return 0;
  const double u =
      std::clamp(random.uniform(key, draw), std::numeric_limits<double>::min(), 1 - 0x1p-24);
  return -std::log(-std::log(u));
}

// z + G - max(z), in double.
template <typename T>
std::span<double> perturbed_scores(const Row<T>& row) {
  const auto noisy = row_memory<double, Purpose::scores>(row.scores.size());
  const T top = largest(row.scores);
  const T shift = std::isfinite(top) ? top : T{0};
  for (std::size_t i = 0; i < noisy.size(); ++i) {
    noisy[i] = (static_cast<double>(row.scores[i]) - shift) + gumbel(row.random, row.keys[i]);
  }
  return noisy;
}

}  // namespace heed::attention
