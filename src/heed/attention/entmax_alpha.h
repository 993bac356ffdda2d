// SPDX-License-Identifier: Apache-2.0
// The slope of entmax along alpha: what a learnable alpha receives.
#pragma once

#include <span>

namespace heed::attention {

// sum_i upstream_i dp_i/dalpha of one row of weights p = entmax(z; alpha), for any alpha from 1,
// exactly 1 included. Zeros of p stay out of it.
template <typename T>
double entmax_alpha_gradient(double alpha, std::span<const T> weights, std::span<const T> upstream);

}  // namespace heed::attention
