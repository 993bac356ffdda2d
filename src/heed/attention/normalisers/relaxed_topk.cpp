// SPDX-License-Identifier: Apache-2.0
// Rounds of softmax and the way back through them.
#include "heed/attention/normalisers/relaxed_topk.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "heed/attention/normalisers/row_math.h"

namespace heed::attention {
namespace {

// 1 - a below this counts as this: its logarithm and its inverse stay finite.
constexpr double kLeastLeft = 1e-300;

// What a round leaves of key i. For the largest weight 1 - a cancels: it is what the others have.
struct Left {
  explicit Left(std::span<const double> round) : a(round) {
    top = static_cast<std::size_t>(std::max_element(a.begin(), a.end()) - a.begin());
    double others = 0;
    for (std::size_t i = 0; i < a.size(); ++i) others += i == top ? 0 : a[i];
    of_top = std::max(others, kLeastLeft);
    took_all = others == 0;
  }
  double operator[](std::size_t i) const { return i == top ? of_top : 1 - a[i]; }

  std::span<const double> a;
  std::size_t top = 0;
  double of_top = 0;
  bool took_all = false;  // the others have nothing that a double can hold
};

}  // namespace

void relaxed_topk(const RelaxedTopk& options, std::span<double> scores, std::span<double> rounds) {
  const std::size_t n = scores.size();
  for (std::size_t j = 0; j < options.k; ++j) {
    const auto round = rounds.subspan(j * n, n);
    softmax_row(std::span<const double>(scores), options.temperature, round);
    const Left left{round};
    for (std::size_t i = 0; i < n; ++i) scores[i] += std::log(left[i]);
    // However far ahead it was, it is not chosen twice.
    if (left.took_all) scores[left.top] = -std::numeric_limits<double>::infinity();
  }
}

// From the last round: h = g - d/(1-a), d += a (h - <a,h>)/T. Written with u = (1-a) h, which
// stays of the size of d where the largest weight is nearly 1, and h does not:
//   a_i (h_i - <a,h>) = a_i (u_i - sum over l != i of a_l u_l / (1 - a_l)).
void relaxed_topk_backward(const RelaxedTopk& options, std::span<const double> rounds,
                           std::span<const double> upstream, std::span<double> gradient) {
  const std::size_t n = upstream.size();
  std::fill(gradient.begin(), gradient.end(), 0.0);
  const auto u = row_memory<double, Purpose::of_upstream>(n);
  for (std::size_t j = options.k; j-- > 0;) {
    const auto a = rounds.subspan(j * n, n);
    const Left left{a};
    double sum = 0;  // of a u / (1 - a), without the largest
    for (std::size_t i = 0; i < n; ++i) {
      u[i] = left[i] * upstream[i] - gradient[i];
      if (i != left.top) sum += a[i] * u[i] / left[i];
    }
    for (std::size_t i = 0; i < n; ++i) {
      const bool top = i == left.top;
      const double others = top ? sum : sum - a[i] * u[i] / left[i];
      // a_i / (1 - a_top) is at most 1 and is taken first.
      const double of_top = top ? 0 : a[i] / left.of_top * a[left.top] * u[left.top];
      gradient[i] += (a[i] * (u[i] - others) - of_top) / options.temperature;
    }
  }
}

}  // namespace heed::attention
