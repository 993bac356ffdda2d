// SPDX-License-Identifier: Apache-2.0
// Forward and backward sums in logarithms: every sum takes four exponentials and logarithms, so
// that this is for what plain doubles cannot hold.
#include "heed/autograd/ctc_logarithms.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace heed {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

double log_sum(double a, double b, double c) {
  const double top = std::max({a, b, c});
  if (top == kNever) return kNever;
  return top + std::log(std::exp(a - top) + std::exp(b - top) + std::exp(c - top));
}

// shares = softmax(logs)
void shares_of(std::span<const double> logs, std::span<double> shares) {
  const double top = *std::ranges::max_element(logs);
  double sum = 0;
  for (std::size_t s = 0; s < logs.size(); ++s) sum += shares[s] = std::exp(logs[s] - top);
  for (double& share : shares) share /= sum;
}

}  // namespace

double ctc_by_logarithms(const CtcPlaces& places, const Real* log_chances, std::size_t frames,
                         std::size_t symbols, std::span<double> posterior) {
  const std::size_t size = places.size();
  const auto chance = [&](std::size_t t, std::size_t s) {
    return static_cast<double>(log_chances[t * symbols + places.symbol(s)]);
  };
  std::vector<double> forward(frames * size, kNever);
  for (std::size_t s = 0; s < std::min<std::size_t>(size, 2); ++s) forward[s] = chance(0, s);
  for (std::size_t t = 1; t < frames; ++t) {
    double* const now = forward.data() + t * size;
    const double* const before = now - size;
    for (std::size_t s = 0; s < size; ++s) {
      const double from_before = s > 0 ? before[s - 1] : kNever;
      const double from_skipped = places.may_skip_to(s) ? before[s - 2] : kNever;
      now[s] = log_sum(before[s], from_before, from_skipped) + chance(t, s);
    }
  }
  const double* const last = forward.data() + (frames - 1) * size;
  const double log_likelihood = log_sum(last[size - 1], size > 1 ? last[size - 2] : kNever, kNever);
  if (posterior.empty()) return log_likelihood;

  // Backward sums without the chance of their own frame: forward plus backward is the joint one.
  std::vector<double> backward(size, kNever), next(size);
  for (std::size_t s = size > 1 ? size - 2 : 0; s < size; ++s) backward[s] = 0;
  for (std::size_t t = frames; t-- > 0;) {
    if (t + 1 < frames) {
      for (std::size_t s = 0; s < size; ++s) next[s] = backward[s] + chance(t + 1, s);
      for (std::size_t s = 0; s < size; ++s) {
        const double to_next = s + 1 < size ? next[s + 1] : kNever;
        const double to_skipped = s + 2 < size && places.may_skip_to(s + 2) ? next[s + 2] : kNever;
        backward[s] = log_sum(next[s], to_next, to_skipped);
      }
    }
    double* const joint = forward.data() + t * size;
    for (std::size_t s = 0; s < size; ++s) joint[s] += backward[s];
    shares_of({joint, size}, posterior.subspan(t * size, size));
  }
  return log_likelihood;
}

}  // namespace heed
