// SPDX-License-Identifier: Apache-2.0
// The sparse fused forward pass equals its composition over random calls, on every CPU target.
#include <cmath>
#include <limits>
#include <numeric>

#include "heed/base/threads.h"
#include "heed/kernels/attention/sparse_attention.h"
#include "heed/kernels/attention/sparse_attention_testing.h"

namespace heed::kernels {
namespace {

template <typename T>
void expect_composition(const SparseCase& c, std::uint32_t seed, double tolerance) {
  SCOPED_TRACE(described(c) + " seed " + std::to_string(seed));
  SparseProblem<T> p(c, seed);
  ASSERT_TRUE(p.forward());
  const AttentionSizes& s = c.sizes;
  over_rows(s, [&](std::size_t b, std::size_t h, std::size_t q) {
    const ReferenceRow<T> row(p, b, h, q);
    const std::size_t g = h / (s.heads / s.key_heads);
    for (std::size_t j = 0; j < s.value_width; ++j) {
      double expected = 0;
      for (std::size_t i = 0; i < row.keys.size(); ++i) {
        expected += row.weights[i] * row.factors[i] *
                    p.values.view().row(b, g, static_cast<std::size_t>(row.keys[i]))[j];
      }
      ASSERT_NEAR(p.context.view().row(b, h, q)[j], expected, tolerance) << b << h << q << j;
    }
  });
}

TEST(SparseAttentionForward, EqualsItsCompositionInDouble) {
  ThreadScope threads(1);
  on_every_target([] {
    for (std::uint32_t seed = 0; seed < 150; ++seed) {
      expect_composition<double>(random_case(seed), seed, 1e-11);
    }
  });
}

TEST(SparseAttentionForward, EqualsItsCompositionInFloat) {
  ThreadScope threads(1);
  on_every_target([] {
    for (std::uint32_t seed = 0; seed < 150; ++seed) {
      SparseCase c = random_case(1000 + seed);
      // In float two scores may change places, and the choice of k keys with them.
      c.kind = SparseNormaliser::Kind::entmax;
      expect_composition<float>(c, seed, 5e-5);
    }
  });
}

TEST(SparseAttentionForward, EqualsItsCompositionForSteepAlphas) {
  ThreadScope threads(1);
  on_every_target([] {
    for (const double alpha : {2.5, 4.0, 16.0}) {
      SparseCase c = random_case(3);
      c.kind = SparseNormaliser::Kind::entmax;
      c.alpha = {alpha};
      c.sizes.keys = 333;
      c.deviation = 1;
      expect_composition<double>(c, 9, 1e-7);
    }
  });
}

TEST(SparseAttentionForward, HoldsRowsOfAnyLength) {
  ThreadScope threads(1);
  on_every_target([] {
    for (const std::size_t keys : {2048, 5001, 9000}) {
      SparseCase c;
      c.sizes = {1, 1, 1, 7, keys, 16, 16};
      c.mask = MaskKind::scattered;
      c.deviation = 2;
      expect_composition<float>(c, 4, 5e-5);
    }
  });
}

TEST(SparseAttentionForward, SpreadsEqualScoresEvenly) {
  on_every_target([] {
    SparseCase c;
    c.sizes = {1, 1, 1, 13, 700, 8, 5};
    for (const double alpha : {1.5, 1.7, 2.0}) {
      c.alpha = {alpha};
      SparseProblem<float> p(c);
      for (std::size_t q = 0; q < 13; ++q) std::fill_n(p.query.view().row(0, 0, q), 8, 0.0f);
      ASSERT_TRUE(p.forward());
      for (std::size_t j = 0; j < 5; ++j) {
        double mean = 0;
        for (std::size_t k = 0; k < 700; ++k) mean += p.values.view().row(0, 0, k)[j] / 700.0;
        EXPECT_NEAR(p.context.view().row(0, 0, 12)[j], mean, 1e-6);
      }
    }
  });
}

TEST(SparseAttentionForward, KeepsTheFirstOfEqualKeys) {
  on_every_target([] {
    SparseCase c;
    c.sizes = {1, 1, 1, 1, 300, 1, 1};
    c.kind = SparseNormaliser::Kind::topk_softmax;
    c.k = 2;
    SparseProblem<float> p(c);
    *p.query.view().row(0, 0, 0) = 1;
    for (std::size_t k = 0; k < 300; ++k) {
      *p.keys.view().row(0, 0, k) = k % 100 == 50 ? 1.0f : 0.0f;
      *p.values.view().row(0, 0, k) = static_cast<float>(k);
    }
    ASSERT_TRUE(p.forward());
    EXPECT_FLOAT_EQ(*p.context.view().row(0, 0, 0), (50 + 150) / 2.0f);
  });
}

TEST(SparseAttentionForward, GivesZerosWhereNoKeyIsAllowed) {
  on_every_target([] {
    SparseCase c = random_case(5);
    c.mask = MaskKind::nothing;
    c.sizes.keys = 70;
    SparseProblem<float> p(c);
    ASSERT_TRUE(p.forward());
    over_rows(c.sizes, [&](std::size_t b, std::size_t h, std::size_t q) {
      for (std::size_t j = 0; j < c.sizes.value_width; ++j) {
        EXPECT_EQ(p.context.view().row(b, h, q)[j], 0);
      }
    });
  });
}

TEST(SparseAttentionForward, GivesTheSameBitsForAnyNumberOfThreads) {
  for (std::uint32_t seed = 0; seed < 12; ++seed) {
    SparseCase c = random_case(seed);
    c.sizes.queries = 400;
    c.sizes.keys = 300;
    SparseProblem<float> one(c), three(c);
    {
      ThreadScope threads(1);
      ASSERT_TRUE(one.forward());
    }
    {
      ThreadScope threads(3);
      ASSERT_TRUE(three.forward());
    }
    over_rows(c.sizes, [&](std::size_t b, std::size_t h, std::size_t q) {
      const float* x = one.context.view().row(b, h, q);
      ASSERT_TRUE(std::equal(x, x + c.sizes.value_width, three.context.view().row(b, h, q)));
    });
    EXPECT_EQ(one.counts, three.counts);
    EXPECT_EQ(one.offsets, three.offsets);
  }
}

TEST(SparseAttentionForward, KeepsMaskedNumbersOutAndTellsOfAttendedOnes) {
  on_every_target([] {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    SparseCase c;
    c.sizes = {1, 1, 1, 30, 40, 8, 8};
    c.mask = MaskKind::causal;
    {
      SparseProblem<float> p(c);
      p.query.view().row(0, 0, 3)[1] = nan;
      EXPECT_FALSE(p.forward());
    }
    {
      SparseProblem<float> p(c);
      p.keys.view().row(0, 0, 20)[1] = nan;  // query 29 sees it
      EXPECT_FALSE(p.forward());
    }
    SparseProblem<float> p(c);  // no query sees the last keys
    p.keys.view().row(0, 0, 35)[1] = nan;
    p.values.view().row(0, 0, 30)[2] = nan;
    const bool finite = p.forward();
    bool found = true;
    for (std::size_t q = 0; q < 30; ++q) {
      for (std::size_t j = 0; j < 8; ++j) found &= std::isfinite(p.context.view().row(0, 0, q)[j]);
    }
    EXPECT_EQ(finite, found);
  });
}

TEST(SparseAttentionSupport, ListsTheKeysThatHaveAWeight) {
  ThreadScope threads(1);
  on_every_target([] {
    for (std::uint32_t seed = 20; seed < 50; ++seed) {
      SparseCase c = random_case(seed);
      c.room = 150;
      SCOPED_TRACE(described(c));
      SparseProblem<double> p(c, seed);
      ASSERT_TRUE(p.forward());
      over_rows(c.sizes, [&](std::size_t b, std::size_t h, std::size_t q) {
        const ReferenceRow<double> expected(p, b, h, q);
        const std::size_t row = ReferenceRow<double>::row_of(c.sizes, b, h, q);
        visit_support<double>(
            p.call(), c.normaliser(), {b, h, q, q + 1, 0, c.sizes.keys},
            [&](std::size_t query, std::span<const std::int32_t> keys,
                std::span<const double> weights) {
              ASSERT_EQ(query, q);
              ASSERT_EQ(keys.size(), weights.size());
              ASSERT_EQ(static_cast<std::size_t>(p.counts[row]), keys.size());
              const bool kept = p.offsets[row] >= 0;
              double sum = 0;
              for (std::size_t i = 0; i < keys.size(); ++i) {
                const auto at = std::find(expected.keys.begin(), expected.keys.end(), keys[i]);
                ASSERT_NE(at, expected.keys.end());
                const auto j = static_cast<std::size_t>(at - expected.keys.begin());
                ASSERT_NEAR(weights[i], expected.weights[j], 1e-11);
                if (i > 0) {
                  ASSERT_LT(keys[i - 1], keys[i]);
                }
                if (kept) {
                  const std::size_t entry = static_cast<std::size_t>(p.offsets[row]) + i;
                  ASSERT_EQ(p.kept_keys[entry], keys[i]);
                  ASSERT_NEAR(p.kept_weights[entry], weights[i], 1e-14);
                }
                sum += weights[i];
              }
              ASSERT_NEAR(sum, expected.keys.empty() ? 0 : 1, 1e-11);
            });
      });
    }
  });
}

TEST(SparseAttentionSupport, LeavesOutRowsThatDoNotFit) {
  SparseCase c;
  c.sizes = {1, 1, 1, 48, 90, 8, 8};
  c.deviation = 0;  // equal queries: rows of one size
  c.room = 100;
  SparseProblem<double> p(c);
  ASSERT_TRUE(p.forward());
  ASSERT_GT(p.counts[0], 0);
  const auto fitting = static_cast<std::size_t>(100 / p.counts[0]);
  ASSERT_LT(fitting, 48u);
  for (std::size_t q = 0; q < 48; ++q) EXPECT_EQ(p.offsets[q] >= 0, q < fitting) << q;
}

}  // namespace
}  // namespace heed::kernels
