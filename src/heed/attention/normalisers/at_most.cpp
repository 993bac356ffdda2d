// SPDX-License-Identifier: Apache-2.0
// At most: k keys or fewer are chosen.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>

#include "heed/attention/normalisers/subset_structure.h"

namespace heed::attention {
namespace {

struct AtMost final : SubsetStructure<SubsetSize::at_most> {
  static Card card() {
    return {.name = "at_most",
            .summary =
                "Up to k keys are chosen, none if none is worth it: the probability that "
                "each is.",
            .formula = "p_i = P(z_i = 1), P(z) ∝ exp(Σ s_i z_i) over z with Σ z ≤ k",
            .source = "Chen, Dempster & Liu 1994",
            .promises = {Promise::in_unit_interval, Promise::permutation_equivariant,
                         Promise::symmetric_jacobian},
            .examples = {"k=1", "k=5"}};
  }
  void declare(Options& options) { options.add("k", k, "how many keys may be chosen").at_least(1); }

  // The k highest that are above 0, the first of equals.
  void best(const Row<double>& row, std::span<double> z) const override {
    std::fill(z.begin(), z.end(), 0.0);
    for (const std::size_t i : highest(row)) z[i] = row.scores[i] > 0 ? 1 : 0;
  }
  double score(const Row<double>& row, std::span<const double> z) const override {
    const auto chosen = static_cast<std::int64_t>(std::count(z.begin(), z.end(), 1.0));
    return chosen <= k ? inner_product(row.scores, z) : -std::numeric_limits<double>::infinity();
  }
};

const ListedNormaliser<AtMost> kListed;

}  // namespace
}  // namespace heed::attention
