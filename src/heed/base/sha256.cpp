// SPDX-License-Identifier: Apache-2.0
// SHA-256, its constants computed: the first 32 bits of the fractions of roots of primes.
#include "heed/base/sha256.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

namespace heed {
namespace {

struct Constants {
  std::array<std::uint32_t, 8> start{};    // of the square roots of the first 8 primes
  std::array<std::uint32_t, 64> rounds{};  // of the cube roots of the first 64

  Constants() {
    std::size_t found = 0;
    for (int number = 2; found < rounds.size(); ++number) {
      bool prime = true;
      for (int divisor = 2; divisor * divisor <= number; ++divisor) {
        prime = prime && number % divisor != 0;
      }
      if (!prime) continue;
      const auto fraction = [](long double root) {
        return static_cast<std::uint32_t>((root - std::floor(root)) * 4294967296.0L);
      };
      if (found < start.size())
        start[found] = fraction(std::sqrt(static_cast<long double>(number)));
      rounds[found++] = fraction(std::cbrt(static_cast<long double>(number)));
    }
  }
};

const Constants& constants() {
  static const Constants made;
  return made;
}

using State = std::array<std::uint32_t, 8>;

void add_block(State& state, const unsigned char* block) {
  std::array<std::uint32_t, 64> words{};
  for (std::size_t i = 0; i < 16; ++i) {
    for (std::size_t k = 0; k < 4; ++k) words[i] = words[i] << 8 | block[4 * i + k];
  }
  for (std::size_t i = 16; i < 64; ++i) {
    const std::uint32_t a = words[i - 15];
    const std::uint32_t b = words[i - 2];
    words[i] = words[i - 16] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ a >> 3) + words[i - 7] +
               (std::rotr(b, 17) ^ std::rotr(b, 19) ^ b >> 10);
  }
  State s = state;
  for (std::size_t i = 0; i < 64; ++i) {
    const std::uint32_t mixed = std::rotr(s[4], 6) ^ std::rotr(s[4], 11) ^ std::rotr(s[4], 25);
    const std::uint32_t chosen = (s[4] & s[5]) ^ (~s[4] & s[6]);
    const std::uint32_t first = s[7] + mixed + chosen + constants().rounds[i] + words[i];
    const std::uint32_t turned = std::rotr(s[0], 2) ^ std::rotr(s[0], 13) ^ std::rotr(s[0], 22);
    const std::uint32_t most = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
    s = {first + turned + most, s[0], s[1], s[2], s[3] + first, s[4], s[5], s[6]};
  }
  for (std::size_t i = 0; i < state.size(); ++i) state[i] += s[i];
}

}  // namespace

std::string sha256(std::span<const std::byte> bytes) {
  State state = constants().start;
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  const std::size_t whole = bytes.size() / 64 * 64;
  for (std::size_t at = 0; at < whole; at += 64) add_block(state, data + at);
  // The rest, a one, zeros, and the length in bits.
  std::array<unsigned char, 128> tail{};
  const std::size_t rest = bytes.size() - whole;
  for (std::size_t i = 0; i < rest; ++i) tail[i] = data[whole + i];
  tail[rest] = 0x80;
  const std::size_t size = rest < 56 ? 64 : 128;
  const std::uint64_t bits = std::uint64_t{bytes.size()} * 8;
  for (std::size_t i = 0; i < 8; ++i) {
    tail[size - 1 - i] = static_cast<unsigned char>(bits >> (8 * i));
  }
  for (std::size_t at = 0; at < size; at += 64) add_block(state, tail.data() + at);
  std::string text;
  for (const std::uint32_t word : state) text += fmt::format("{:08x}", word);
  return text;
}

}  // namespace heed
