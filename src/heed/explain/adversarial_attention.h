// SPDX-License-Identifier: Apache-2.0
// Adversarial attention (Jain & Wallace 2019): other weights, as far from the model's as can be,
// that leave what it says as it is. For an output that is linear in what was read the farthest are
// found exactly.
#pragma once  // public header

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#pragma GCC visibility push(default)  // exported

namespace heed::explain {

struct Adversary {
  std::vector<double> weights = {};
  double divergence = 0;  // Jensen-Shannon, in nats, from the model's weights: at most ln 2
};

// Words s_t that the output adds up with weights: y = sum of weight_t s_t. Of all distributions
// whose y is from `low` to `high` the one with the largest divergence from `weights`, which are
// one, too. The divergence is convex and the distributions are a polytope, so it lies at a corner,
// and a corner has at most two words: O(T²), and no other can be farther. Nothing where no
// distribution has such an output. UsageError for other numbers of scores than of weights, for
// weights that are no distribution, for NaN, and for low above high.
std::optional<Adversary> farthest_weights(std::span<const double> weights,
                                          std::span<const double> scores, double low, double high);

// The same, found by climbing: projected gradient (Adam) on the logits of the weights from
// `starts` drawn places, `steps` each, with a penalty on outputs beyond the limits. For outputs
// that are not linear, and to compare with. What it gives keeps the limits.
struct ClimbOptions {
  int starts = 5;
  int steps = 500;
  double rate = .01;
  double penalty = 500;
  std::uint64_t seed = 1;
};
Adversary climbed_weights(std::span<const double> weights, std::span<const double> scores,
                          double low, double high, const ClimbOptions& options = {});

// The farthest that swapping finds when the same weights are dealt to other words, so that their
// entropy and the number of words with a weight stay: a two-word corner is far for a trivial
// reason, these are not. From the weights themselves and from `starts` - 1 deals that random swaps
// lead to, every swap that keeps the limits and goes farther. A lower bound of what there is.
// UsageError as above, and where the weights' own output is beyond the limits.
struct DealOptions {
  int starts = 5;
  std::uint64_t seed = 1;
};
Adversary dealt_weights(std::span<const double> weights, std::span<const double> scores, double low,
                        double high, const DealOptions& options = {});

}  // namespace heed::explain

#pragma GCC visibility pop
