// SPDX-License-Identifier: Apache-2.0
// Forward and backward sums, each frame divided by its largest. Rows have two zeros beyond their
// ends, so that no place asks whether there is one before it.
#include "heed/autograd/ctc_doubles.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace heed {
namespace {

// A chance above this is a float with all its digits.
constexpr double kLeastChance = 1e-36;
// So that a sum never vanishes in one step, and one below is noticed before it does.
constexpr double kLeast = 1e-250, kLeastJoint = 1e-200;

// Several sums at a time: one addition after the other takes four times as long.
constexpr std::size_t kLanes = 8;

double sum_of(std::span<const double> numbers) {
  std::array<double, kLanes> sums{};
  std::size_t i = 0;
  for (; i + kLanes <= numbers.size(); i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) sums[lane] += numbers[i + lane];
  }
  double all = 0;
  for (; i < numbers.size(); ++i) all += numbers[i];
  for (const double one : sums) all += one;
  return all;
}

struct Extent {
  double largest = 0, least = 1;  // of those that are not 0
};

Extent extent_of(std::span<const double> numbers) {
  std::array<double, kLanes> largest{}, least;
  least.fill(1);
  std::size_t i = 0;
  for (; i + kLanes <= numbers.size(); i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const double one = numbers[i + lane];
      const double positive = one == 0 ? 1. : one;
      largest[lane] = largest[lane] < one ? one : largest[lane];
      least[lane] = positive < least[lane] ? positive : least[lane];
    }
  }
  Extent found{*std::ranges::max_element(largest), *std::ranges::min_element(least)};
  for (; i < numbers.size(); ++i) {
    found.largest = std::max(found.largest, numbers[i]);
    if (numbers[i] != 0) found.least = std::min(found.least, numbers[i]);
  }
  return found;
}

// Divides by the largest and gives it; 0 where a double may lose the least, or all are 0.
double scale(std::span<double> sums) {
  const auto [largest, least] = extent_of(sums);
  if (largest == 0 || least < kLeast * largest || least < kLeast) return 0;
  const double inverse = 1 / largest;
  for (double& one : sums) one *= inverse;
  return largest;
}

// The chances of the places of one frame [S] against the highest of them, which it gives; 0 where
// one is too small.
double chances_of_places(const CtcPlaces& places, const Real* chances, double* out) {
  const std::size_t size = places.size();
  const auto blank = static_cast<double>(chances[places.symbol(0)]);
  double top = blank, least = blank;
  for (std::size_t s = 1; s < size; s += 2) {
    const auto one = static_cast<double>(chances[places.symbol(s)]);
    out[s] = one;
    top = std::max(top, one);
    least = std::min(least, one);
  }
  if (!(least > kLeastChance)) return 0;
  const double inverse = 1 / top, blanks = blank * inverse;
  out[0] = blanks;
  for (std::size_t s = 1; s < size; s += 2) {
    out[s] *= inverse;
    out[s + 1] = blanks;
  }
  return top;
}

}  // namespace

std::optional<double> ctc_in_doubles(const CtcPlaces& places, const Real* chances,
                                     std::size_t frames, std::size_t symbols,
                                     std::span<double> posterior, CtcScratch& scratch) {
  const std::size_t size = places.size(), row = size + 2;
  scratch.chances.resize(frames * size);
  scratch.forward.resize(frames * row);
  scratch.skips.resize(size);
  for (std::size_t s = 0; s < size; ++s) scratch.skips[s] = places.may_skip_to(s) ? 1 : 0;
  const double* const skips = scratch.skips.data();

  double log_likelihood = 0;
  for (std::size_t t = 0; t < frames; ++t) {
    double* const chance = scratch.chances.data() + t * size;
    const double top = chances_of_places(places, chances + t * symbols, chance);
    if (top == 0) return {};
    double* const now = scratch.forward.data() + t * row + 2;
    now[-2] = now[-1] = 0;
    if (t == 0) {
      std::fill(now, now + size, 0.);
      for (std::size_t s = 0; s < std::min<std::size_t>(size, 2); ++s) now[s] = chance[s];
    } else {
      const double* const before = now - row;
      for (std::size_t s = 0; s < size; ++s) {
        now[s] = (before[s] + *(before + s - 1) + skips[s] * *(before + s - 2)) * chance[s];
      }
    }
    const double largest = scale({now, size});
    if (largest == 0) return {};
    log_likelihood += std::log(top * largest);
  }
  const double* const last = scratch.forward.data() + frames * row - 1;
  const double ended = last[0] + last[-1];
  if (!(ended > kLeastJoint)) return {};
  log_likelihood += std::log(ended);
  if (posterior.empty()) return log_likelihood;

  // Backward sums without the chance of their own frame: forward times backward is the joint
  // chance.
  scratch.backward.assign(row, 0);
  scratch.next.assign(row, 0);
  double* const backward = scratch.backward.data();
  double* const next = scratch.next.data();
  for (std::size_t s = size > 1 ? size - 2 : 0; s < size; ++s) backward[s] = 1;
  for (std::size_t t = frames; t-- > 0;) {
    if (t + 1 < frames) {
      const double* const chance = scratch.chances.data() + (t + 1) * size;
      for (std::size_t s = 0; s < size; ++s) next[s] = backward[s] * chance[s];
      for (std::size_t s = 0; s + 2 < size; ++s) {
        backward[s] = next[s] + next[s + 1] + skips[s + 2] * next[s + 2];
      }
      for (std::size_t s = size > 1 ? size - 2 : 0; s < size; ++s) {
        backward[s] = next[s] + next[s + 1];
      }
      if (scale({backward, size}) == 0) return {};
    }
    const double* const now = scratch.forward.data() + t * row + 2;
    const std::span<double> joint = posterior.subspan(t * size, size);
    for (std::size_t s = 0; s < size; ++s) joint[s] = now[s] * backward[s];
    const double all = sum_of(joint);
    if (!(all > kLeastJoint)) return {};
    const double inverse = 1 / all;
    for (double& one : joint) one *= inverse;
  }
  return log_likelihood;
}

}  // namespace heed
