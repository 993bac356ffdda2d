// SPDX-License-Identifier: Apache-2.0
#include "heed/insight/trace/head_codes.h"

#include <gtest/gtest.h>

#include "heed/insight/trace/trace_document.h"

namespace heed::insight {
namespace {

std::vector<int> values_of(const std::string& bytes) {
  std::vector<int> values;
  for (const char c : bytes) values.push_back(static_cast<unsigned char>(c));
  return values;
}

TEST(HeadCodes, TellZeroTinyAndMaskedApart) {
  const HeadCodes codes = head_codes(Tensor::of({1, 4}, {0, 1e-9F, kMasked, .5F}), 8);
  EXPECT_DOUBLE_EQ(codes.scale, .5);
  EXPECT_EQ(values_of(codes.bytes), (std::vector<int>{0, 1, 255, 254}));
}

TEST(HeadCodes, AreTwoBytesLowFirstWhenAsked) {
  const HeadCodes codes = head_codes(Tensor::of({1, 4}, {0, 1e-9F, kMasked, 1}), 16);
  EXPECT_EQ(values_of(codes.bytes), (std::vector<int>{0, 0, 1, 0, 255, 255, 254, 255}));
}

TEST(HeadCodes, RoundWeightsToHalfAStepOfTheScale) {
  Tensor weights({1, 101});
  for (int i = 0; i <= 100; ++i) weights.mutable_data()[i] = Real(i) / 100 * Real{.8};
  for (const int bits : {8, 16}) {
    const HeadCodes codes = head_codes(weights, bits);
    const int most = (1 << bits) - 2;
    const std::vector<int> bytes = values_of(codes.bytes);
    for (std::size_t i = 1; i <= 100; ++i) {
      const int code = bits == 8 ? bytes[i] : bytes[2 * i] + 256 * bytes[2 * i + 1];
      EXPECT_NEAR(codes.scale * code / most, static_cast<double>(i) / 100 * .8,
                  codes.scale / most * .51)
          << bits;
    }
  }
}

TEST(HeadCodes, GiveEntropyInBitsAndDensityOverAllowedCells) {
  // Rows of 2 bits and 0 bits; the last has no weight at all and counts for neither.
  const Tensor weights = Tensor::of(
      {3, 4}, {.25F, .25F, .25F, .25F, 1, 0, kMasked, kMasked, kMasked, kMasked, kMasked, kMasked});
  const HeadCodes codes = head_codes(weights, 8);
  EXPECT_NEAR(codes.entropy, 1, 1e-12);
  EXPECT_NEAR(codes.density, 5.0 / 6, 1e-12);
}

TEST(HeadCodes, GiveTheEntropyOfSharesWhateverTheySumTo) {
  EXPECT_NEAR(head_codes(Tensor::of({1, 2}, {.125F, .125F}), 8).entropy, 1, 1e-12);
  EXPECT_NEAR(head_codes(Tensor::of({1, 4}, {2, 2, 2, 2}), 8).entropy, 2, 1e-12);
}

TEST(HeadCodes, KeepASingleSpikeInTheThumbnail) {
  Tensor weights = Tensor::zeros({500, 300});
  weights.mutable_data()[499 * 300 + 150] = 1;
  const HeadCodes codes = head_codes(weights, 8);
  EXPECT_EQ(codes.rows, 16);
  EXPECT_EQ(codes.columns, 16);
  EXPECT_EQ(values_of(codes.thumbnail)[15 * 16 + 8], 254);
  EXPECT_EQ(std::ranges::count(codes.thumbnail, '\0'), 255);
}

TEST(HeadCodes, ShowABlockAsMaskedOnlyWhenAllOfItIs) {
  Tensor weights = Tensor::full({32, 32}, kMasked);
  weights.mutable_data()[0] = 0;
  const std::vector<int> thumbnail = values_of(head_codes(weights, 8).thumbnail);
  EXPECT_EQ(thumbnail[0], 0);
  EXPECT_EQ(thumbnail[1], 255);
}

TEST(HeadCodes, AreEmptyForNoTokens) {
  const HeadCodes codes = head_codes(Tensor({0, 3}), 8);
  EXPECT_TRUE(codes.bytes.empty());
  EXPECT_EQ(codes.rows, 0);
}

}  // namespace
}  // namespace heed::insight
