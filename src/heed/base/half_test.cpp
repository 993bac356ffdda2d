// SPDX-License-Identifier: Apache-2.0
// Tests of the 16-bit numbers: all 65536 of each kind, and every place where rounding decides.
#include "heed/base/half.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace heed {
namespace {

// The value of a 16-bit number by its definition: sign, exponent with a bias, fraction.
double by_definition(unsigned half, int fraction_bits, int bias) {
  const int exponent_bits = 15 - fraction_bits;
  const int exponent = static_cast<int>(half >> fraction_bits) & ((1 << exponent_bits) - 1);
  const double fraction = half & ((1u << fraction_bits) - 1);
  const double sign = (half & 0x8000u) != 0 ? -1 : 1;
  if (exponent == (1 << exponent_bits) - 1) {
    return fraction == 0 ? sign * std::numeric_limits<double>::infinity() : std::nan("");
  }
  const double scaled = std::ldexp(fraction, -fraction_bits);
  if (exponent == 0) return sign * std::ldexp(scaled, 1 - bias);
  return sign * std::ldexp(1 + scaled, exponent - bias);
}

struct Format {
  const char* name;
  int fraction_bits;
  int bias;
  float (*widen)(std::uint16_t);
  std::uint16_t (*narrow)(float);
};

class HalfFormats : public testing::TestWithParam<Format> {};

TEST_P(HalfFormats, WidensAll65536ValuesExactlyAndBack) {
  const Format& format = GetParam();
  for (unsigned half = 0; half < 65536; ++half) {
    const float wide = format.widen(static_cast<std::uint16_t>(half));
    const double expected = by_definition(half, format.fraction_bits, format.bias);
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(wide)) << half;
      // The quiet bit comes on, sign and payload stay.
      ASSERT_EQ(format.narrow(wide), half | 1u << (format.fraction_bits - 1)) << half;
    } else {
      ASSERT_EQ(static_cast<double>(wide), expected) << half;
      ASSERT_EQ(std::signbit(wide), half >= 0x8000) << half;
      ASSERT_EQ(format.narrow(wide), half) << half;
    }
  }
}

TEST_P(HalfFormats, RoundsToNearestAndTiesToEvenBetweenAllNeighbours) {
  const Format& format = GetParam();
  const unsigned infinity = 0x7FFFu & ~((1u << format.fraction_bits) - 1);
  for (unsigned half = 0; half < infinity; ++half) {
    const double below = by_definition(half, format.fraction_bits, format.bias);
    // What the next value would be without a largest exponent: overflow starts half-way to it.
    const double above =
        half + 1 == infinity
            ? 2 * below - by_definition(half - 1, format.fraction_bits, format.bias)
            : by_definition(half + 1, format.fraction_bits, format.bias);
    const auto middle = static_cast<float>((below + above) / 2);
    ASSERT_EQ(middle, (below + above) / 2) << "the middle is a float";
    const unsigned even = half % 2 == 0 ? half : half + 1;
    for (const float sign : {1.0f, -1.0f}) {
      const unsigned bit = sign < 0 ? 0x8000u : 0;
      ASSERT_EQ(format.narrow(sign * middle), bit | even) << half;
      ASSERT_EQ(format.narrow(sign * std::nextafter(middle, 0.0f)), bit | half) << half;
      ASSERT_EQ(format.narrow(sign * std::nextafter(middle, INFINITY)), bit | (half + 1)) << half;
    }
  }
}

TEST_P(HalfFormats, TurnsTheLargestFloatsIntoInfinityAndTheSmallestIntoZero) {
  const Format& format = GetParam();
  EXPECT_TRUE(std::isinf(format.widen(format.narrow(std::numeric_limits<float>::max()))));
  EXPECT_EQ(format.narrow(-std::numeric_limits<float>::denorm_min()), 0x8000);
  EXPECT_TRUE(std::isnan(format.widen(format.narrow(std::bit_cast<float>(0x7F800001u)))));
}

// A double just beside the middle of two halves is nearer to one of them, and the middle itself is
// what the nearest float would be.
TEST_P(HalfFormats, RoundsADoubleOnceByWayOfAnOddFloat) {
  const Format& format = GetParam();
  const unsigned one = format.narrow(1.0f);
  const double step = std::ldexp(1, -format.fraction_bits);
  const double middle = 1 + step / 2;
  const auto narrowed = [&](double value) { return format.narrow(double_to_odd_float(value)); };
  EXPECT_EQ(narrowed(middle), one);  // a tie, to the even one
  EXPECT_EQ(narrowed(std::nextafter(middle, 2)), one + 1);
  EXPECT_EQ(narrowed(std::nextafter(middle, 0)), one);
  EXPECT_EQ(narrowed(-std::nextafter(middle, 2)), 0x8000u | (one + 1));
  EXPECT_EQ(narrowed(middle + step), one + 2);
  EXPECT_EQ(narrowed(std::nextafter(middle + step, 0)), one + 1);
  EXPECT_TRUE(std::isnan(double_to_odd_float(std::nan(""))));
  EXPECT_EQ(double_to_odd_float(0.5), 0.5f);
  EXPECT_TRUE(std::isinf(format.widen(narrowed(1e300))));
}

INSTANTIATE_TEST_SUITE_P(Both, HalfFormats,
                         testing::Values(Format{"F16", 10, 15, f16_to_float, float_to_f16},
                                         Format{"BF16", 7, 127, bf16_to_float, float_to_bf16}),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace heed
