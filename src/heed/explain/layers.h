// SPDX-License-Identifier: Apache-2.0
// Layers of attention as matrices, for explainers that follow them from the answer to the words.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "heed/explain/looks.h"

namespace heed::explain {

// The weights of every layer [H,N,N], and as if each token had attended evenly to what it can see.
std::vector<Tensor> weights_of(const Looks& looks);
std::vector<Tensor> even_weights_of(const Looks& looks);

// [N] times [N,N] -> [N]
std::vector<double> row_times(std::span<const double> row, const Tensor& matrix);

// What a reader of a causal model must know: empty for others.
std::string causal_note(const Looks& looks, const std::string& remedy);

}  // namespace heed::explain
