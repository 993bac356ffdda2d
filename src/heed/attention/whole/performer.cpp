// SPDX-License-Identifier: Apache-2.0
// Performer: random features whose products are, on average, the exponential of scaled scores, so
// that linear attention approximates softmax attention (FAVOR+).
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "heed/attention/whole/features.h"
#include "heed/autograd/ops.h"

namespace heed::attention {
namespace {

// Directions [F,D] in blocks of D rows that are orthogonal to each other, each as long as a row of
// D standard normal numbers: any pair of them in different blocks is independent.
Tensor orthogonal_directions(std::int64_t features, std::int64_t width, std::uint64_t seed) {
  Random random(seed);
  Tensor all({features, width});
  std::vector<double> block;
  const auto size = static_cast<std::size_t>(width);
  for (std::int64_t f = 0; f < features; ++f) {
    if (f % width == 0) block.clear();
    // Gram-Schmidt, twice: once leaves products of 1e-8 among near-parallel rows.
    std::vector<double> row(size);
    double length = 0, wanted = 0;
    while (length < 1e-3) {
      for (double& x : row) x = random.normal<double>();
      for (int again = 0; again < 2; ++again) {
        for (std::size_t other = 0; other < block.size(); other += size) {
          const auto with = block.begin() + static_cast<std::ptrdiff_t>(other);
          const double along = std::inner_product(row.begin(), row.end(), with, 0.0);
          for (std::size_t d = 0; d < size; ++d) row[d] -= along * block[other + d];
        }
      }
      length = std::sqrt(std::inner_product(row.begin(), row.end(), row.begin(), 0.0));
    }
    for (double& x : row) x /= length;
    block.insert(block.end(), row.begin(), row.end());
    for (std::size_t d = 0; d < size; ++d) {
      const double normal = random.normal<double>();
      wanted += normal * normal;
    }
    for (std::size_t d = 0; d < size; ++d) {
      all.mutable_data()[f * width + static_cast<std::int64_t>(d)] =
          static_cast<Real>(row[d] * std::sqrt(wanted));
    }
  }
  return all;
}

struct Performer {
  int features = 256;
  double epsilon = 1e-4;
  std::uint64_t seed = 1;

  static Card card() {
    return {.name = "performer",
            .summary =
                "Softmax attention by random features: as linear in the length, and the nearer to "
                "scaled_dot the more features there are.",
            .formula =
                "linear attention with φ(x) = exp(Ω x̂ − |x̂|²/2) + ε, x̂ = x / d^¼, rows of Ω "
                "orthogonal; of queries divided by their largest",
            .source = "Choromanski et al. 2021",
            .examples = {"features=8", "features=6, seed=7"}};
  }
  void declare(Options& options) {
    options.add("features", features, "random features: the error falls with their root")
        .range(1, 65536);
    options.add("epsilon", epsilon, "added to each feature, so that none vanishes").range(0, 1);
    options.add("seed", seed, "of the random directions, which are not learnt");
  }
  void build(const MechanismShape& shape, Random&) {
    require_equal_widths("performer", shape);
    directions_ = orthogonal_directions(features, shape.key_width, seed);
  }

  Variable context(const WholeCall& call) const { return feature_context(maps(), call); }
  Variable weights(const WholeCall& call) const { return feature_weights(maps(), call); }
  Variable sums(const WholeMemory& memory, const std::vector<std::int64_t>& count) const {
    return feature_sums(maps(), memory, count);
  }

 private:
  // Ω x̂ − |x̂|²/2 [...,F]. It is never more than half the square of the longest direction; keys
  // are moved down by what of that exp could not take, which no weight notices but for ε.
  Variable exponents(const Variable& x) const {
    const auto width = static_cast<Real>(directions_.size(1));
    const Variable scaled = x * std::pow(width, Real(-0.25));
    const Variable lengths = sum(square(scaled), 3) * Real(0.5);
    return linear(scaled, Variable(directions_), Variable()) -
           reshape(lengths, lengths.shape().inserted(3, 1));
  }
  FeatureMaps maps() const {
    const auto small = static_cast<Real>(epsilon);
    return {[this, small](const Variable& x) {
              const Variable found = exponents(x);
              const Variable most = maximum(found, 3);
              return exp(found - reshape(most, most.shape().inserted(3, 1))) + small;
            },
            [this, small](const Variable& x) { return exp(exponents(x) - reserve()) + small; }};
  }
  // Products of features with sums over keys stay far from the end of a float.
  Real reserve() const {
    Real longest = 0;
    const std::int64_t width = directions_.size(1);
    for (std::int64_t f = 0; f < directions_.size(0); ++f) {
      const Real* const row = directions_.data() + f * width;
      longest = std::max(longest, std::inner_product(row, row + width, row, Real{0}));
    }
    return std::max(longest / 2 - 60, Real{0});
  }

  Tensor directions_;  // [F,D]
};

const ListedWhole<Performer> kListed;

}  // namespace
}  // namespace heed::attention
