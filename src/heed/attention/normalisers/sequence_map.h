// SPDX-License-Identifier: Apache-2.0
// SparseMAP of a row whose structures choose keys: both states of each key are penalised.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "heed/attention/normaliser.h"
#include "heed/attention/normalisers/sparsemap.h"

namespace heed::attention {

// Solves in this thread's memory, the scores being those of choosing each key. The oracle has part
// 2i for a key i that is not chosen, 2i + 1 for one that is; it must live as long as the solution
// is used.
SparseMap& solved_sequence(const StructureOracle& oracle, std::span<const double> scores);

// The weights of the keys, between 0 and 1.
void sequence_weights(const SparseMap& solved, std::span<double> weights);
// The sequences that share them; position i of the row is keys[i].
std::vector<Member> sequence_members(const SparseMap& solved, std::span<const std::int32_t> keys);
// The gradient of <upstream, weights>.
void sequence_backward(SparseMap& solved, std::span<const double> upstream,
                       std::span<double> d_scores);

}  // namespace heed::attention
