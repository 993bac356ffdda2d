// SPDX-License-Identifier: Apache-2.0
// The dense associative memory of Krotov & Hopfield 2016: E = -sum_mu (x_mu . s / N)^n, and each
// unit takes the sign that gives the lower energy, its own where both are equal. n = 2 is the
// classical rule, its diagonal included: a unit's own square is the same for both signs.
#include "heed/models/associative_rules.h"

namespace heed::models {
namespace {

class DenseMemory final : public AssociativeMemory {
 public:
  DenseMemory(std::vector<MemoryPattern> patterns, std::int64_t power)
      : AssociativeMemory(std::move(patterns)), power_(power) {
    while (scale_ * static_cast<double>(units()) > 1) scale_ /= 2;
  }

  MemoryRule rule() const override { return MemoryRule::dense; }

  MemoryPattern step(MemoryPattern state) const override {
    // Overlaps are whole numbers once the state is bits, so that updating them adds no rounding.
    std::vector<double> overlap = overlaps(state);
    for (std::size_t i = 0; i < units(); ++i) {
      double gain = 0;  // energy of -1 less that of 1
      for (std::size_t mu = 0; mu < overlap.size(); ++mu) {
        const double bit = patterns()[mu][i];
        const double others = overlap[mu] - bit * state[i];
        gain += raised(others + bit) - raised(others - bit);
      }
      const double next = gain < 0 ? -1 : gain > 0 || state[i] == 0 ? 1 : state[i];
      for (std::size_t mu = 0; mu < overlap.size() && next != state[i]; ++mu) {
        overlap[mu] += patterns()[mu][i] * (next - state[i]);
      }
      state[i] = next;
    }
    return state;
  }

  double energy(std::span<const double> state) const override {
    double sum = 0;
    for (const double overlap : overlaps(state)) sum += raised(overlap);
    // scale N is a share of one, whose power divides what raised() leaves out.
    return -sum / power_of(scale_ * static_cast<double>(units()), power_);
  }

  std::vector<double> weights(std::span<const double> state) const override {
    std::vector<double> found = overlaps(state);
    for (double& overlap : found) overlap = power_of(overlap * scale_, power_ - 1);
    divide_by_magnitudes(found);
    return found;
  }

 private:
  // (overlap / N)^n but for a factor: the scale is a power of two, so that sums which should cancel
  // do, and no power overflows.
  double raised(double overlap) const { return power_of(overlap * scale_, power_); }
  static double power_of(double x, std::int64_t n) {
    double product = 1;
    for (; n > 0; n /= 2, x *= x) product *= n % 2 == 1 ? x : 1;
    return product;
  }

  double scale_ = 1;  // 2^-k, the largest that N times it is at most 1
  std::int64_t power_;
};

}  // namespace

std::unique_ptr<AssociativeMemory> make_dense_memory(std::vector<MemoryPattern> patterns,
                                                     std::int64_t power) {
  return std::make_unique<DenseMemory>(std::move(patterns), power);
}

}  // namespace heed::models
