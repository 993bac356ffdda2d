// SPDX-License-Identifier: Apache-2.0
// Attention flow (Abnar & Zuidema 2020): layers of attention as a network of pipes, and how much
// could flow from each token at the top to each input at the bottom.
#pragma once  // public header

#include <cstdint>
#include <span>
#include <vector>

#include "heed/tensor/tensor.h"

#pragma GCC visibility push(default)  // exported

namespace heed::explain {

// Weights [H,T,T] of each layer, the first first -> [T,T]: a layer's capacities are ½ I + ½ the
// heads' mean, rows scaled to sum 1; row t is the largest flow from token t to each input, scaled
// to sum 1. UsageError for no layers and for shapes that differ.
Tensor attention_flow(std::span<const Tensor> layers);

// The same of capacities [T,T] as they are.
Tensor flow_through(std::span<const Tensor> capacities);
// One row of it: what could flow from this token at the top, [T].
std::vector<double> flow_from(std::span<const Tensor> capacities, std::int64_t top);

}  // namespace heed::explain

#pragma GCC visibility pop
