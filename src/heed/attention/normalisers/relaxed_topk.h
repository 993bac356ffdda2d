// SPDX-License-Identifier: Apache-2.0
// The relaxed choice of k keys: k softmaxes, each of which leaves less to the next.
//
//   a^1 = softmax(s/T), s <- s + log(1 - a^j), p = a^1 + ... + a^k   (Plötz & Roth 2018; Xie &
//   Ermon 2019)
#pragma once

#include <cstddef>
#include <span>

namespace heed::attention {

struct RelaxedTopk {
  std::size_t k = 1;  // fewer than the keys
  double temperature = 1;
};

// scores [n] are used up; rounds [k,n] are the softmaxes.
void relaxed_topk(const RelaxedTopk& options, std::span<double> scores, std::span<double> rounds);
// The gradient of the scores [n], given that of p [n] and the rounds.
void relaxed_topk_backward(const RelaxedTopk& options, std::span<const double> rounds,
                           std::span<const double> upstream, std::span<double> gradient);

}  // namespace heed::attention
