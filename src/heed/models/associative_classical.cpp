// SPDX-License-Identifier: Apache-2.0
// The network of Hopfield 1982: W = X^T X / N without its diagonal, E = -s^T W s / 2, and
// s_i <- sign(W_i s) one unit at a time. Changing all of them at once may cycle for ever. X^T X is
// kept as it is, whole numbers, so that a field of 0 is one whatever N. Such a unit stays as it is:
// taking 1 for it turns bits by convention (64 units, 14 patterns: .31 instead of .33 recalled).
#include <cmath>
#include <numeric>

#include "heed/models/associative_rules.h"

namespace heed::models {
namespace {

class ClassicalMemory final : public AssociativeMemory {
 public:
  explicit ClassicalMemory(std::vector<MemoryPattern> patterns)
      : AssociativeMemory(std::move(patterns)), couplings_(units() * units(), 0) {
    const std::size_t n = units();
    for (const MemoryPattern& pattern : this->patterns()) {
      for (std::size_t i = 0; i < n; ++i) {
        double* const row = couplings_.data() + i * n;
        for (std::size_t j = 0; j < n; ++j) row[j] += pattern[i] * pattern[j];
      }
    }
    for (std::size_t i = 0; i < n; ++i) couplings_[i * n + i] = 0;
  }

  MemoryRule rule() const override { return MemoryRule::classical; }

  MemoryPattern step(MemoryPattern state) const override {
    for (std::size_t i = 0; i < units(); ++i) {
      const double drive = field(state, i);
      state[i] = drive < 0 ? -1 : drive > 0 || state[i] == 0 ? 1 : state[i];
    }
    return state;
  }

  double energy(std::span<const double> state) const override {
    double sum = 0;
    for (std::size_t i = 0; i < units(); ++i) sum += state[i] * field(state, i);
    return -sum / (2 * static_cast<double>(units()));
  }

  // W s = sum_mu x_mu (x_mu . s) / N but for the diagonal: patterns count by their overlaps.
  std::vector<double> weights(std::span<const double> state) const override {
    std::vector<double> found = overlaps(state);
    divide_by_magnitudes(found);
    return found;
  }

 private:
  // N W_i s
  double field(std::span<const double> state, std::size_t unit) const {
    const double* const row = couplings_.data() + unit * units();
    return std::inner_product(row, row + units(), state.begin(), 0.);
  }

  std::vector<double> couplings_;  // [N,N], N W
};

}  // namespace

std::unique_ptr<AssociativeMemory> make_classical_memory(std::vector<MemoryPattern> patterns) {
  return std::make_unique<ClassicalMemory>(std::move(patterns));
}

void divide_by_magnitudes(std::vector<double>& weights) {
  double sum = 0;
  for (const double weight : weights) sum += std::abs(weight);
  if (sum == 0) return;
  for (double& weight : weights) weight /= sum;
}

}  // namespace heed::models
