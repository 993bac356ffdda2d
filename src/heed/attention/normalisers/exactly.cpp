// SPDX-License-Identifier: Apache-2.0
// Exactly: k keys are chosen.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>

#include "heed/attention/normalisers/subset_structure.h"
#include "heed/base/error.h"

namespace heed::attention {
namespace {

struct Exactly final : SubsetStructure<SubsetSize::exactly> {
  static Card card() {
    return {.name = "exactly",
            .summary =
                "Exactly k keys are chosen: the probability that each is; 1 each for k keys or "
                "fewer.",
            .formula = "p_i = P(z_i = 1), P(z) ∝ exp(Σ s_i z_i) over z with Σ z = k",
            .source = "Chen, Dempster & Liu 1994",
            .promises = {Promise::sums_to_k, Promise::in_unit_interval, Promise::shift_invariant,
                         Promise::permutation_equivariant, Promise::symmetric_jacobian},
            .examples = {"k=1", "k=3"}};
  }
  void declare(Options& options) { options.add("k", k, "how many keys are chosen").at_least(1); }
  void check(std::int64_t n) const {
    if (k > n) {
      throw UsageError("exactly: k is {}, but there are {} keys; k may be at most the keys", k, n);
    }
  }

  // The k highest, the first of equals.
  void best(const Row<double>& row, std::span<double> z) const override {
    std::fill(z.begin(), z.end(), 0.0);
    for (const std::size_t i : highest(row)) z[i] = 1;
  }
  double score(const Row<double>& row, std::span<const double> z) const override {
    const auto chosen = static_cast<std::int64_t>(std::count(z.begin(), z.end(), 1.0));
    const bool is_choice = chosen == std::min(k, static_cast<std::int64_t>(z.size()));
    return is_choice ? inner_product(row.scores, z) : -std::numeric_limits<double>::infinity();
  }
};

const ListedNormaliser<Exactly> kListed;

}  // namespace
}  // namespace heed::attention
