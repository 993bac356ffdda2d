// SPDX-License-Identifier: Apache-2.0
// Filling arrays with random numbers, one Philox block per few values, in parallel.
#include "heed/base/random.h"

#include <algorithm>

#include "heed/base/error.h"
#include "heed/base/threads.h"

namespace heed {
namespace {

// Blocks per thread below which a parallel region costs more than it saves: 4096 blocks take 0.1 ms
// as uniform and 0.3 ms as normal floats, a region a few microseconds.
constexpr std::size_t kGrain = 4096;

std::uint64_t pair_of(std::uint32_t low, std::uint32_t high) noexcept {
  return low | static_cast<std::uint64_t>(high) << 32;
}

// Calls make(block) -> std::array<T, per block> for every block and stores what fits.
template <typename T, typename Make>
void fill_blocks(std::span<T> values, Random& random, Make make) {
  constexpr std::size_t kPerBlock = sizeof(PhiloxBlock) / sizeof(T);
  const std::uint64_t first = (random.position() + 3) / 4;
  const std::size_t blocks = (values.size() + kPerBlock - 1) / kPerBlock;
  const std::uint64_t seed = random.seed();
  const std::uint64_t stream = random.stream();
  parallel_for(blocks, kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t block = begin; block < end; ++block) {
      const std::array<T, kPerBlock> made = make(philox(seed, stream, first + block));
      const std::size_t at = block * kPerBlock;
      std::copy_n(made.begin(), std::min(kPerBlock, values.size() - at), values.begin() + at);
    }
  });
  random.seek((first + blocks) * 4);
}

template <typename T>
void fill_uniform_of(std::span<T> values, Random& random, T low, T high) {
  if (!(low < high)) {
    throw UsageError("fill_uniform: from {} to {} there is nothing to draw; low must be below high",
                     low, high);
  }
  const T range = high - low;
  const T last = std::nextafter(high, low);
  const auto stretch = [=](T uniform) {
    // low + range * u may round up to high, which is outside.
    return std::min(low + range * uniform, last);
  };
  fill_blocks(values, random, [=](const PhiloxBlock& words) {
    if constexpr (std::is_same_v<T, float>) {
      return std::array<T, 4>{stretch(uniform_float(words[0])), stretch(uniform_float(words[1])),
                              stretch(uniform_float(words[2])), stretch(uniform_float(words[3]))};
    } else {
      return std::array<T, 2>{stretch(uniform_double(pair_of(words[0], words[1]))),
                              stretch(uniform_double(pair_of(words[2], words[3])))};
    }
  });
}

// r cos a and r sin a with r = sqrt(-2 ln u), a = 2 pi v, are two independent normal numbers.
template <typename T>
std::array<T, 2> box_muller(T u, T v) noexcept {
  const T radius = std::sqrt(-2 * std::log(u));
  const T angle = 2 * std::numbers::pi_v<T> * v;
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

template <typename T>
void fill_normal_of(std::span<T> values, Random& random, T mean, T deviation) {
  if (!(deviation >= 0)) {
    throw UsageError("fill_normal: the deviation is {}; it must not be negative", deviation);
  }
  fill_blocks(values, random, [=](const PhiloxBlock& words) {
    if constexpr (std::is_same_v<T, float>) {
      // All 32 bits for u: 24 would end the tails at 5.8 deviations, 32 end them at 6.8.
      const auto open = [](std::uint32_t word) {
        return (static_cast<float>(word) + 0.5f) * 0x1p-32f;  // (0, 1]
      };
      const auto [a, b] = box_muller(open(words[0]), uniform_float(words[1]));
      const auto [c, d] = box_muller(open(words[2]), uniform_float(words[3]));
      return std::array<T, 4>{mean + deviation * a, mean + deviation * b, mean + deviation * c,
                              mean + deviation * d};
    } else {
      const double u = 1 - uniform_double(pair_of(words[0], words[1]));  // (0, 1]
      const auto [a, b] = box_muller(u, uniform_double(pair_of(words[2], words[3])));
      return std::array<T, 2>{mean + deviation * a, mean + deviation * b};
    }
  });
}

}  // namespace

void fill_uniform(std::span<float> values, Random& random, float low, float high) {
  fill_uniform_of(values, random, low, high);
}

void fill_uniform(std::span<double> values, Random& random, double low, double high) {
  fill_uniform_of(values, random, low, high);
}

void fill_normal(std::span<float> values, Random& random, float mean, float deviation) {
  fill_normal_of(values, random, mean, deviation);
}

void fill_normal(std::span<double> values, Random& random, double mean, double deviation) {
  fill_normal_of(values, random, mean, deviation);
}

}  // namespace heed
