// SPDX-License-Identifier: Apache-2.0
// Between the keys of a row and the two parts of each.
#include "heed/attention/normalisers/sequence_map.h"

#include <algorithm>
#include <vector>

#include "heed/attention/normalisers/row_math.h"

namespace heed::attention {

SparseMap& solved_sequence(const StructureOracle& oracle, std::span<const double> scores) {
  thread_local SparseMap solver;
  thread_local std::vector<double> states;  // the solver reads them as long as it is asked
  states.assign(2 * scores.size(), 0.0);
  for (std::size_t i = 0; i < scores.size(); ++i) states[2 * i + 1] = scores[i];
  solver.solve(oracle, states);
  return solver;
}

void sequence_weights(const SparseMap& solved, std::span<double> weights) {
  for (std::size_t i = 0; i < weights.size(); ++i) {
    weights[i] = std::min(solved.expectation()[2 * i + 1], 1.0);
  }
}

std::vector<Member> sequence_members(const SparseMap& solved, std::span<const std::int32_t> keys) {
  return members_of(solved, [&](PartBitsView bits) {
    std::vector<std::int32_t> chosen;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (has_part(bits, 2 * i + 1)) chosen.push_back(keys[i]);
    }
    return chosen;
  });
}

void sequence_backward(SparseMap& solved, std::span<const double> upstream,
                       std::span<double> d_scores) {
  const std::size_t n = upstream.size();
  const auto memory = row_memory<double, Purpose::chart>(4 * n);
  const std::span<double> states = memory.first(2 * n), d_states = memory.subspan(2 * n);
  for (std::size_t i = 0; i < n; ++i) {
    states[2 * i] = 0;
    states[2 * i + 1] = upstream[i];
  }
  solved.backward(states, d_states);
  for (std::size_t i = 0; i < n; ++i) d_scores[i] = d_states[2 * i + 1];
}

}  // namespace heed::attention
