// SPDX-License-Identifier: Apache-2.0
// The gradient of weights whose rows and columns have given sums, as iterations of Sinkhorn's
// algorithm lead to them.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace heed::attention {

// weights P [Q,K], exp(z + u_i + v_j) with u and v such that rows add up to 1 and columns to Q/K;
// upstream g [Q,K] -> the gradient of <P, g> along z. nullopt where sums are off by more than
// `rounding`, or the equations cannot be solved nearly as well. With H = P g, one has a and b of
// [diag(P1) P; P^T diag(P^T 1)] [a; b] = [H1; H^T 1], and the gradient H - P (a_i + b_j).
std::optional<std::vector<double>> transport_gradient(std::span<const double> weights,
                                                      std::span<const double> upstream,
                                                      std::size_t columns, double rounding);

}  // namespace heed::attention
