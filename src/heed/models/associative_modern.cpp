// SPDX-License-Identifier: Apache-2.0
// The modern network of Ramsauer et al. 2020: s <- X^T softmax(beta X s), which is attention of the
// query s over keys and values X at temperature 1 / beta; scaled_dot is beta = 1 / sqrt(N).
#include <algorithm>
#include <cmath>
#include <numeric>

#include "heed/models/associative_rules.h"

namespace heed::models {
namespace {

class ModernMemory final : public AssociativeMemory {
 public:
  ModernMemory(std::vector<MemoryPattern> patterns, double beta)
      : AssociativeMemory(std::move(patterns)), beta_(beta) {
    for (const MemoryPattern& pattern : this->patterns()) {
      largest_square_ = std::max(largest_square_, square(pattern));
    }
  }

  MemoryRule rule() const override { return MemoryRule::modern; }

  MemoryPattern step(MemoryPattern state) const override {
    const std::vector<double> share = weights(state);
    std::ranges::fill(state, 0);
    for (std::size_t mu = 0; mu < share.size(); ++mu) {
      if (share[mu] == 0) continue;
      const MemoryPattern& pattern = patterns()[mu];
      for (std::size_t i = 0; i < state.size(); ++i) state[i] += share[mu] * pattern[i];
    }
    return state;
  }

  // -lse(beta X s) / beta + |s|^2 / 2 + (ln P) / beta + max |x|^2 / 2, which is never below 0.
  double energy(std::span<const double> state) const override {
    const std::vector<double> overlap = overlaps(state);
    const double top = std::ranges::max(overlap);
    double sum = 0;
    for (const double one : overlap) sum += std::exp(beta_ * (one - top));
    const auto count = static_cast<double>(overlap.size());
    return -top - std::log(sum / count) / beta_ + (square(state) + largest_square_) / 2;
  }

  std::vector<double> weights(std::span<const double> state) const override {
    std::vector<double> share = overlaps(state);
    const double top = std::ranges::max(share);
    double sum = 0;
    for (double& one : share) sum += one = std::exp(beta_ * (one - top));
    for (double& one : share) one /= sum;
    return share;
  }

 private:
  static double square(std::span<const double> x) {
    return std::inner_product(x.begin(), x.end(), x.begin(), 0.);
  }

  double beta_;
  double largest_square_ = 0;
};

}  // namespace

std::unique_ptr<AssociativeMemory> make_modern_memory(std::vector<MemoryPattern> patterns,
                                                      double beta) {
  return std::make_unique<ModernMemory>(std::move(patterns), beta);
}

}  // namespace heed::models
