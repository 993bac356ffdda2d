// SPDX-License-Identifier: Apache-2.0
// Greedy search: the likeliest token at every step.
#include <cmath>
#include <limits>

#include "heed/decoding/frontier.h"
#include "heed/decoding/search.h"
#include "heed/kernels/reductions.h"

namespace heed::decoding {

std::vector<Hypothesis> greedy(Stepper& stepper, const GreedyOptions& options) {
  Frontier frontier(stepper,
                    {.constraints = options.constraints, .attentions = options.attentions});
  std::vector<std::int32_t> ends(frontier.sentences(), Frontier::kRoot);
  while (!frontier.rows().empty()) {
    const Tensor found = frontier.step();
    const auto rows = static_cast<std::size_t>(found.size(0));
    std::vector<Real> values(rows);
    std::vector<std::int32_t> tokens(rows);
    kernels::maximum_rows(found.data(), rows, static_cast<std::size_t>(found.size(1)),
                          values.data(), tokens.data());
    std::vector<Frontier::Choice> choices;
    std::vector<std::int32_t> nodes;
    for (std::size_t row = 0; row < rows; ++row) {
      const std::int32_t sentence = frontier.rows()[row].sentence;
      if (values[row] == -std::numeric_limits<Real>::infinity()) continue;  // no token is possible
      const Frontier::Choice choice{static_cast<std::int32_t>(row), tokens[row], values[row]};
      const std::int32_t node = frontier.write(choice);
      ends[static_cast<std::size_t>(sentence)] = node;
      if (tokens[row] == text::kEnd || frontier.length() == frontier.limits(sentence).most)
        continue;
      choices.push_back(choice);
      nodes.push_back(node);
    }
    frontier.go_on(choices, nodes);
  }
  std::vector<Hypothesis> all;
  for (std::size_t sentence = 0; sentence < ends.size(); ++sentence) {
    all.push_back(frontier.hypothesis(static_cast<std::int32_t>(sentence), ends[sentence]));
  }
  return all;
}

}  // namespace heed::decoding
