// SPDX-License-Identifier: Apache-2.0
// Timing of rivals in one run: they take turns on page-aligned data, and each keeps its best time.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <limits>
#include <memory>
#include <new>
#include <random>
#include <vector>

namespace heed::benchmarks {

struct FreeMemory {
  void operator()(float* memory) const { std::free(memory); }
};
using Buffer = std::unique_ptr<float, FreeMemory>;

// n floats from -range to range, the same at every run, at the start of a page.
inline Buffer random_buffer(std::size_t n, float range = 1) {
  constexpr std::size_t kPage = 4096;
  Buffer buffer(
      static_cast<float*>(std::aligned_alloc(kPage, (n * sizeof(float) / kPage + 1) * kPage)));
  if (buffer == nullptr) throw std::bad_alloc();
  std::mt19937 random(1);
  std::uniform_real_distribution<float> uniform(-range, range);
  std::generate_n(buffer.get(), n, [&] { return uniform(random); });
  return buffer;
}

inline double seconds_of(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Best seconds of each rival over at least `seconds` in all and 5 turns. Turns are short and
// alternate, so that a noisy moment strikes all of them alike.
inline std::vector<double> best_of_turns(const std::vector<std::function<void()>>& rivals,
                                         double seconds) {
  std::vector<double> best(rivals.size(), std::numeric_limits<double>::infinity());
  for (const auto& rival : rivals) rival();
  double spent = 0;
  for (int turn = 0; turn < 5 || spent < seconds; ++turn) {
    for (std::size_t i = 0; i < rivals.size(); ++i) {
      const double once = seconds_of(rivals[i]);
      best[i] = std::min(best[i], once);
      spent += once;
    }
  }
  return best;
}

}  // namespace heed::benchmarks
