// SPDX-License-Identifier: Apache-2.0
// Random numbers by counting: Philox4x32-10 gives word i of any stream without the words before it,
// so the same numbers come out whatever the thread count.
#pragma once  // public header

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <span>
#include <type_traits>
#include <utility>

#include "heed/base/errors.h"

#pragma GCC visibility push(default)  // exported

namespace heed {

using PhiloxBlock = std::array<std::uint32_t, 4>;

// Philox4x32-10 of Salmon et al. 2011, "Parallel random numbers: as easy as 1, 2, 3": ten rounds
// that mix a 128-bit counter under a 64-bit key.
constexpr PhiloxBlock philox4x32(PhiloxBlock counter, std::array<std::uint32_t, 2> key) noexcept {
  constexpr std::uint64_t kMultiply0 = 0xD2511F53;
  constexpr std::uint64_t kMultiply1 = 0xCD9E8D57;
  constexpr std::uint32_t kWeyl0 = 0x9E3779B9;  // golden ratio
  constexpr std::uint32_t kWeyl1 = 0xBB67AE85;  // sqrt(3) - 1
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product0 = kMultiply0 * counter[0];
    const std::uint64_t product1 = kMultiply1 * counter[2];
    counter = {static_cast<std::uint32_t>(product1 >> 32) ^ counter[1] ^ key[0],
               static_cast<std::uint32_t>(product1),
               static_cast<std::uint32_t>(product0 >> 32) ^ counter[3] ^ key[1],
               static_cast<std::uint32_t>(product0)};
    key[0] += kWeyl0;
    key[1] += kWeyl1;
  }
  return counter;
}

// Words 4 * block to 4 * block + 3 of a stream: the key is the seed (low word, high word), the
// counter is (block low, block high, stream low, stream high). Vector kernels that draw their own
// numbers keep to this layout.
constexpr PhiloxBlock philox(std::uint64_t seed, std::uint64_t stream,
                             std::uint64_t block) noexcept {
  return philox4x32({static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32),
                     static_cast<std::uint32_t>(stream), static_cast<std::uint32_t>(stream >> 32)},
                    {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
}

// [0, 1) in steps of 2^-24: every value is a float, none rounds up to 1.
constexpr float uniform_float(std::uint32_t word) noexcept {
  return static_cast<float>(word >> 8) * 0x1p-24f;
}

// [0, 1) in steps of 2^-53.
constexpr double uniform_double(std::uint64_t words) noexcept {
  return static_cast<double>(words >> 11) * 0x1p-53;
}

// A place in one stream. Seed, stream and position are its whole state: a checkpoint saves these
// three numbers. A copy gives the same numbers again.
class Random {
 public:
  using result_type = std::uint32_t;  // a std::uniform_random_bit_generator

  explicit Random(std::uint64_t seed, std::uint64_t stream = 0) noexcept
      : seed_(seed), stream_(stream) {}

  std::uint64_t seed() const noexcept { return seed_; }
  std::uint64_t stream() const noexcept { return stream_; }

  // The number of words drawn so far, and the way back to any place.
  std::uint64_t position() const noexcept { return position_; }
  void seek(std::uint64_t position) noexcept {
    position_ = position;
    if (position_ % 4 != 0) block_ = philox(seed_, stream_, position_ / 4);
  }

  std::uint32_t next_u32() noexcept {
    if (position_ % 4 == 0) block_ = philox(seed_, stream_, position_ / 4);
    return block_[position_++ % 4];
  }

  // Two words, the low one first.
  std::uint64_t next_u64() noexcept {
    const std::uint64_t low = next_u32();
    return low | static_cast<std::uint64_t>(next_u32()) << 32;
  }

  // [0, 1): 24 random bits from one word for float, 53 from two words for double.
  template <typename T = double>
  T uniform() noexcept {
    if constexpr (std::is_same_v<T, float>) {
      return uniform_float(next_u32());
    } else {
      static_assert(std::is_same_v<T, double>, "uniform gives float or double");
      return uniform_double(next_u64());
    }
  }

  // Mean 0, deviation 1, by Box and Muller 1958 from four words. The second number of the pair is
  // thrown away: keeping it would be state that position() does not tell.
  template <typename T = double>
  T normal() noexcept {
    const double radius = std::sqrt(-2 * std::log(1 - uniform()));  // 1 - u is never 0
    return static_cast<T>(radius * std::cos(2 * std::numbers::pi * uniform()));
  }

  // 0 to n - 1, each equally likely: Lemire 2019 with the few words rejected that would favour
  // small values. Throws UsageError for n = 0.
  std::uint64_t integer(std::uint64_t n) {
    if (n == 0) throw UsageError("Random::integer: no value lies below 0; ask for n of at least 1");
    if (n <= 0xFFFFFFFFu) {
      const auto bound = static_cast<std::uint32_t>(n);
      const std::uint32_t rejected = (0 - bound) % bound;  // 2^32 mod n
      for (;;) {
        const std::uint64_t product = static_cast<std::uint64_t>(next_u32()) * bound;
        if (static_cast<std::uint32_t>(product) >= rejected) return product >> 32;
      }
    }
    const std::uint64_t rejected = (0 - n) % n;  // 2^64 mod n
    for (;;) {
      const std::uint64_t words = next_u64();
      if (words >= rejected) return words % n;
    }
  }

  // Fisher and Yates; unlike std::shuffle the same order with every standard library.
  template <typename T>
  void shuffle(std::span<T> items) {
    for (std::size_t left = items.size(); left > 1; --left) {
      std::swap(items[left - 1], items[static_cast<std::size_t>(integer(left))]);
    }
  }
  template <typename Container>
  void shuffle(Container& items) {
    shuffle(std::span(items));
  }

  std::uint32_t operator()() noexcept { return next_u32(); }
  static constexpr std::uint32_t min() { return 0; }
  static constexpr std::uint32_t max() { return 0xFFFFFFFFu; }

 private:
  std::uint64_t seed_;
  std::uint64_t stream_;
  std::uint64_t position_ = 0;
  PhiloxBlock block_{};  // the block position_ is inside of; unset at a block's beginning
};

// Fill values in parallel with the same numbers whatever the thread count, starting at the next
// whole block of random and leaving it after the last block used. A float takes one word, a double
// two; value i does not depend on how many follow.
// Uniform in [low, high); needs low < high.
void fill_uniform(std::span<float> values, Random& random, float low = 0, float high = 1);
void fill_uniform(std::span<double> values, Random& random, double low = 0, double high = 1);
// Normal by Box and Muller, both numbers of each pair used.
void fill_normal(std::span<float> values, Random& random, float mean = 0, float deviation = 1);
void fill_normal(std::span<double> values, Random& random, double mean = 0, double deviation = 1);

}  // namespace heed

#pragma GCC visibility pop
