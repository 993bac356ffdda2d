// SPDX-License-Identifier: Apache-2.0
// Products that are not packed, and what lies between them, against plain loops.
#include "heed/kernels/attention/feature_tiles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "heed/kernels/testing.h"

namespace heed::kernels {
namespace {

template <typename T>
class FeatureTiles : public ::testing::Test {};
using TileTypes = ::testing::Types<float, double>;
TYPED_TEST_SUITE(FeatureTiles, TileTypes);

template <typename T>
constexpr double kTileTolerance = sizeof(T) == 4 ? 2e-5 : 1e-13;

// Of whole panels and of other widths, with a bias, added to what is there, of staircases.
TYPED_TEST(FeatureTiles, MultiplyWhereTheMatricesLie) {
  using T = TypeParam;
  on_every_target([] {
    for (const std::size_t n : {std::size_t{64}, std::size_t{128}, std::size_t{24}}) {
      for (const bool staircase : {false, true}) {
        constexpr std::size_t kM = 23, kK = 40;
        const std::size_t lda = kK + 3, ldb = n + (n == 64 ? 0 : 8), ldc = n;
        GuardedBuffer<T> a(kM * lda), b(kK * ldb), c(kM * ldc), bias(n);
        fill_uniform(a.data(), a.size(), -1, 1, 1);
        fill_uniform(b.data(), b.size(), -1, 1, 2);
        fill_uniform(c.data(), c.size(), -1, 1, 3);
        fill_uniform(bias.data(), bias.size(), -1, 1, 4);
        std::vector<std::size_t> begin(kM), end(kM);
        for (std::size_t i = 0; i < kM; ++i) {
          begin[i] = staircase ? i / 2 : 0;
          end[i] = staircase ? std::min(kK, 2 + i + i / 2) : kK;
          std::fill_n(a.data() + i * lda, begin[i], T{0});
          std::fill(a.data() + i * lda + end[i], a.data() + i * lda + kK, T{0});
        }
        std::vector<double> wanted(kM * n);
        for (std::size_t i = 0; i < kM; ++i) {
          for (std::size_t j = 0; j < n; ++j) {
            double sum = static_cast<double>(c[i * ldc + j]) + static_cast<double>(bias[j]);
            for (std::size_t p = 0; p < kK; ++p) {
              sum += static_cast<double>(a[i * lda + p]) * static_cast<double>(b[p * ldb + j]);
            }
            wanted[i * n + j] = sum;
          }
        }
        CachedProduct<T> options{.m = kM,
                                 .n = n,
                                 .k = kK,
                                 .lda = lda,
                                 .ldb = ldb,
                                 .ldc = ldc,
                                 .add = true,
                                 .bias = bias.data()};
        if (staircase) {
          options.begin = begin.data();
          options.end = end.data();
        }
        cached_product(a.data(), b.data(), c.data(), options);
        for (std::size_t i = 0; i < wanted.size(); ++i) {
          ASSERT_NEAR(static_cast<double>(c[i]), wanted[i], kTileTolerance<T>) << n << " " << i;
        }
      }
    }
  });
}

TYPED_TEST(FeatureTiles, TransposeAnyBlockAndFillItUp) {
  using T = TypeParam;
  on_every_target([] {
    for (const std::size_t rows : {std::size_t{1}, std::size_t{7}, std::size_t{16}}) {
      constexpr std::size_t kColumns = 13, kStride = 20, kPadded = 18;
      GuardedBuffer<T> from(rows * kColumns), to(kColumns * kStride);
      fill_uniform(from.data(), from.size(), -1, 1, 5);
      transpose_into(from.data(), rows, kColumns, to.data(), kStride, kPadded);
      for (std::size_t c = 0; c < kColumns; ++c) {
        for (std::size_t r = 0; r < kPadded; ++r) {
          ASSERT_EQ(to[c * kStride + r], r < rows ? from[r * kColumns + c] : T{0});
        }
      }
    }
  });
}

// The slopes take the place of what they are made of.
TYPED_TEST(FeatureTiles, MakeSlopesInPlace) {
  using T = TypeParam;
  on_every_target([] {
    constexpr std::size_t kColumns = 21;
    GuardedBuffer<T> dc(2 * kColumns), c(2 * kColumns), dtotal(2);
    fill_uniform(dc.data(), dc.size(), -1, 1, 6);
    fill_uniform(c.data(), c.size(), -1, 1, 7);
    const T totals[] = {T{0}, T{4}};
    double product = 0;
    std::vector<double> dy;
    for (std::size_t i = kColumns; i < 2 * kColumns; ++i) {
      product += static_cast<double>(dc[i]) * static_cast<double>(c[i]);
      dy.push_back(static_cast<double>(dc[i]) / 4);
    }
    feature_slopes(dc.data(), c.data(), totals, 2, kColumns, dc.data(), dtotal.data());
    EXPECT_EQ(dtotal[0], 0);
    EXPECT_NEAR(static_cast<double>(dtotal[1]), -product / 4, kTileTolerance<T>);
    for (std::size_t i = 0; i < kColumns; ++i) {
      EXPECT_EQ(dc[i], 0);
      EXPECT_NEAR(static_cast<double>(dc[kColumns + i]), dy[i], kTileTolerance<T>);
    }
  });
}

}  // namespace
}  // namespace heed::kernels
