// SPDX-License-Identifier: Apache-2.0
// The 16-bit numbers: IEEE binary16 (F16) and bfloat16 (BF16), to float exactly and back rounded
// to nearest, ties to even, whatever the CPU. NaN stays NaN, quiet, with the bits that fit.
#pragma once

#include <bit>
#include <cstdint>

namespace heed {

constexpr float f16_to_float(std::uint16_t half) noexcept {
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000u) << 16;
  const std::uint32_t exponent = (half >> 10) & 0x1Fu;
  const std::uint32_t fraction = half & 0x3FFu;
  if (exponent == 0) {  // zero or subnormal: fraction * 2^-24 is a normal float
    const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
    return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(magnitude));
  }
  if (exponent == 0x1F) {  // infinity or NaN; bit 22 makes a NaN quiet
    const std::uint32_t quiet = fraction == 0 ? 0 : 0x400000u;
    return std::bit_cast<float>(sign | 0x7F800000u | quiet | fraction << 13);
  }
  return std::bit_cast<float>(sign | (exponent + 127 - 15) << 23 | fraction << 13);
}

constexpr std::uint16_t float_to_f16(float value) noexcept {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t magnitude = bits & 0x7FFFFFFFu;
  const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000u);
  const auto with_sign = [sign](std::uint32_t half) {
    return static_cast<std::uint16_t>(sign | half);
  };
  if (magnitude > 0x7F800000u) return with_sign(0x7E00u | ((magnitude >> 13) & 0x3FFu));  // NaN
  // 65520 lies half-way between 65504, the largest F16, and 2^16: it and all above round to
  // infinity.
  if (magnitude >= std::bit_cast<std::uint32_t>(65520.0f)) return with_sign(0x7C00u);
  if (magnitude < std::bit_cast<std::uint32_t>(0x1p-14f)) {
    // Subnormal: floats from 0.5 to 1 are 2^-24 apart, so the addition rounds to F16's step.
    const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
    return with_sign(std::bit_cast<std::uint32_t>(shifted) - std::bit_cast<std::uint32_t>(0.5f));
  }
  // 13 bits go; adding half of them less one, and the last bit kept, rounds ties to even. A carry
  // into the exponent is the right answer.
  const std::uint32_t rounded = magnitude + 0xFFFu + ((magnitude >> 13) & 1u);
  return with_sign((rounded - ((127u - 15u) << 23)) >> 13);
}

constexpr float bf16_to_float(std::uint16_t value) noexcept {
  const std::uint32_t quiet = (value & 0x7FFFu) > 0x7F80u ? 0x400000u : 0;
  return std::bit_cast<float>(static_cast<std::uint32_t>(value) << 16 | quiet);
}

constexpr std::uint16_t float_to_bf16(float value) noexcept {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7FFFFFFFu) > 0x7F800000u) return static_cast<std::uint16_t>(bits >> 16 | 0x40u);
  return static_cast<std::uint16_t>((bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16);
}

// The float on the side of zero, or the next one when that is even and not exact: rounding it to
// fewer bits then gives what rounding the double itself would.
constexpr float double_to_odd_float(double value) noexcept {
  const auto nearest = static_cast<float>(value);
  if (!(nearest > value) && !(nearest < value)) return nearest;  // exact, or NaN
  std::uint32_t bits = std::bit_cast<std::uint32_t>(nearest);
  const bool away = value > 0 ? nearest > value : nearest < value;
  if (away) --bits;
  return std::bit_cast<float>(bits | 1u);
}

}  // namespace heed
