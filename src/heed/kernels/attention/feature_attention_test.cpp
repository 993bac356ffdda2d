// SPDX-License-Identifier: Apache-2.0
// Attention by features against the weights that it stands for, written out in long double.
#include "heed/kernels/attention/feature_attention.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <vector>

#include "heed/base/threads.h"
#include "heed/kernels/testing.h"

namespace heed::kernels {
namespace {

using Wide = std::vector<long double>;

template <typename T>
struct FeatureRun {
  explicit FeatureRun(const FeatureAttentionShape& shape, std::size_t offset = 0)
      : shape(shape),
        query(rows() * shape.features, offset),
        keys(shape.pairs() * shape.keys * shape.features, offset),
        values(shape.pairs() * shape.keys * shape.columns, offset),
        before(shape.pairs() * shape.features * (shape.columns + 1), offset),
        context(rows() * shape.columns, offset),
        totals(rows(), offset),
        d_context(context.size(), offset),
        d_query(query.size(), offset),
        d_keys(keys.size(), offset),
        d_values(values.size(), offset),
        d_before(before.size(), offset),
        seen(shape.batch * shape.queries),
        order(seen.size()) {
    fill_uniform(query.data(), query.size(), 0.1, 1, 2);
    fill_uniform(keys.data(), keys.size(), 0.1, 1, 3);
    fill_uniform(values.data(), values.size(), -1, 1, 4);
    fill_uniform(before.data(), before.size(), 0.1, 1, 5);
    fill_uniform(d_context.data(), d_context.size(), -1, 1, 6);
  }

  std::size_t rows() const { return shape.pairs() * shape.group * shape.queries; }
  template <typename Seen>
  void see(const Seen& count) {
    for (std::size_t b = 0; b < shape.batch; ++b) {
      const std::size_t first = b * shape.queries;
      for (std::size_t q = 0; q < shape.queries; ++q) seen[first + q] = count(b, q);
      const auto begin = order.begin() + static_cast<std::ptrdiff_t>(first);
      const auto end = begin + static_cast<std::ptrdiff_t>(shape.queries);
      std::iota(begin, end, std::int64_t{0});
      std::stable_sort(begin, end, [&](std::int64_t x, std::int64_t y) {
        return seen[first + static_cast<std::size_t>(x)] <
               seen[first + static_cast<std::size_t>(y)];
      });
    }
  }
  void run(bool with_before = false) {
    earlier = with_before;
    const FeatureAttentionInput<T> in{query.data(),  keys.data(),
                                      values.data(), with_before ? before.data() : nullptr,
                                      seen.data(),   order.data()};
    ASSERT_TRUE(feature_attention<T>(shape, in, context.data(), totals.data()));
    ASSERT_TRUE(feature_attention_backward<T>(
        shape, in, context.data(), totals.data(), d_context.data(),
        {d_query.data(), d_keys.data(), d_values.data(), with_before ? d_before.data() : nullptr}));
  }

  // The definition, key by key; sums that came before are one key for each feature.
  void expect_definition(double tolerance) {
    Wide dk(keys.size()), dv(values.size()), db(before.size());
    for (std::size_t row = 0; row < rows(); ++row) {
      const std::size_t pair = row / (shape.group * shape.queries);
      const std::size_t q = row % shape.queries;
      const std::int64_t count = seen[pair / shape.key_heads * shape.queries + q];
      expect_row(row, pair, count, tolerance, {&dk, &dv, &db});
    }
    expect_all(d_keys, dk, tolerance, "gradient of keys");
    expect_all(d_values, dv, tolerance, "gradient of values");
    if (earlier) expect_all(d_before, db, tolerance, "gradient of sums");
  }

  FeatureAttentionShape shape;
  GuardedBuffer<T> query, keys, values, before, context, totals, d_context, d_query, d_keys,
      d_values, d_before;
  std::vector<std::int64_t> seen, order;
  bool earlier = false;

 private:
  struct Changes {
    Wide *keys, *values, *before;
  };
  void expect_row(std::size_t row, std::size_t pair, std::int64_t count, double tolerance,
                  const Changes& change) {
    const std::size_t features = shape.features, columns = shape.columns;
    const T* const phi = query.data() + row * features;
    // Of all that the row sees: the products, and where its feature and its value lie.
    Wide y(columns, 0), dphi(features, 0);
    long double total = 0;
    const auto product = [&](std::size_t j) {
      const T* const key = keys.data() + (pair * shape.keys + j) * features;
      return std::inner_product(phi, phi + features, key, 0.0L);
    };
    const auto seen_keys = static_cast<std::size_t>(std::max<std::int64_t>(count, 0));
    for (std::size_t j = 0; j < seen_keys; ++j) {
      const long double p = product(j);
      total += p;
      const T* const value = values.data() + (pair * shape.keys + j) * columns;
      for (std::size_t c = 0; c < columns; ++c) y[c] += p * value[c];
    }
    const T* const sums = before.data() + pair * features * (columns + 1);
    const bool with_sums = earlier && count >= 0;
    for (std::size_t f = 0; f < features && with_sums; ++f) {
      for (std::size_t c = 0; c < columns; ++c) y[c] += phi[f] * sums[f * (columns + 1) + c];
      total += phi[f] * sums[f * (columns + 1) + columns];
    }
    const long double inverse = total == 0 ? 0 : 1 / total;
    long double dtotal = 0;
    Wide dy(columns);
    for (std::size_t c = 0; c < columns; ++c) {
      const long double exact = y[c] * inverse;
      ASSERT_NEAR(context[row * columns + c], static_cast<double>(exact), tolerance) << row;
      dy[c] = d_context[row * columns + c] * inverse;
      dtotal -= dy[c] * exact;
    }
    for (std::size_t j = 0; j < seen_keys; ++j) {
      const T* const key = keys.data() + (pair * shape.keys + j) * features;
      const T* const value = values.data() + (pair * shape.keys + j) * columns;
      const long double slope = std::inner_product(dy.begin(), dy.end(), value, dtotal);
      const long double p = product(j);
      for (std::size_t f = 0; f < features; ++f) {
        dphi[f] += slope * key[f];
        (*change.keys)[(pair * shape.keys + j) * features + f] += slope * phi[f];
      }
      for (std::size_t c = 0; c < columns; ++c) {
        (*change.values)[(pair * shape.keys + j) * columns + c] += p * dy[c];
      }
    }
    for (std::size_t f = 0; f < features && with_sums; ++f) {
      const std::size_t first = (pair * features + f) * (columns + 1);
      for (std::size_t c = 0; c < columns; ++c) {
        dphi[f] += dy[c] * before[first + c];
        (*change.before)[first + c] += phi[f] * dy[c];
      }
      dphi[f] += dtotal * before[first + columns];
      (*change.before)[first + columns] += phi[f] * dtotal;
    }
    for (std::size_t f = 0; f < features; ++f) {
      ASSERT_NEAR(d_query[row * features + f], static_cast<double>(dphi[f]), tolerance)
          << "gradient of query " << row;
    }
  }
  static void expect_all(GuardedBuffer<T>& found, const Wide& exact, double tolerance,
                         const char* what) {
    for (std::size_t i = 0; i < exact.size(); ++i) {
      ASSERT_NEAR(found[i], static_cast<double>(exact[i]),
                  tolerance * static_cast<double>(1 + std::abs(exact[i])))
          << what << " " << i;
    }
  }
};

template <typename T>
constexpr double kFeatureTolerance = std::is_same_v<T, float> ? 2e-5 : 1e-13;

template <typename T>
class FeatureAttention : public testing::Test {};
using FeatureScalars = testing::Types<float, double>;
TYPED_TEST_SUITE(FeatureAttention, FeatureScalars);

std::int64_t causal(std::size_t, std::size_t q) {
  return static_cast<std::int64_t>(q) + 1;
}

TYPED_TEST(FeatureAttention, IsItsDefinitionCausallyAndNotAcrossChunks) {
  on_every_target([] {
    for (const std::size_t keys : {1, 5, 63, 64, 65, 130, 200}) {
      for (const bool with_before : {false, true}) {
        SCOPED_TRACE(testing::Message() << keys << " keys, sums before: " << with_before);
        const FeatureAttentionShape shape{.batch = 1,
                                          .key_heads = 2,
                                          .group = 2,
                                          .queries = keys,
                                          .keys = keys,
                                          .features = 7,
                                          .columns = 5};
        FeatureRun<TypeParam> run(shape, keys % 3);
        run.see(causal);
        ASSERT_NO_FATAL_FAILURE(run.run(with_before));
        ASSERT_NO_FATAL_FAILURE(run.expect_definition(kFeatureTolerance<TypeParam>));
        run.see([&](std::size_t, std::size_t) { return static_cast<std::int64_t>(keys); });
        ASSERT_NO_FATAL_FAILURE(run.run(with_before));
        ASSERT_NO_FATAL_FAILURE(run.expect_definition(kFeatureTolerance<TypeParam>));
      }
    }
  });
}

// As wide as whole panels, and rows where they lie: nothing is packed and nothing gathered.
TYPED_TEST(FeatureAttention, IsItsDefinitionWhereNothingIsCopied) {
  on_every_target([] {
    FeatureRun<TypeParam> run({.batch = 1,
                               .key_heads = 1,
                               .group = 1,
                               .queries = 150,
                               .keys = 150,
                               .features = 128,
                               .columns = 64});
    for (const bool with_before : {false, true}) {
      run.see(causal);
      ASSERT_NO_FATAL_FAILURE(run.run(with_before));
      ASSERT_NO_FATAL_FAILURE(run.expect_definition(2 * kFeatureTolerance<TypeParam>));
    }
  });
}

// Any number of keys in any order, none of them, and nothing at all.
TYPED_TEST(FeatureAttention, LetsEachQuerySeeItsOwnNumberOfKeys) {
  on_every_target([] {
    FeatureRun<TypeParam> run({.batch = 2,
                               .key_heads = 1,
                               .group = 3,
                               .queries = 9,
                               .keys = 140,
                               .features = 19,
                               .columns = 33});
    const std::int64_t counts[] = {140, 3, -1, 64, 0, 65, 128, 1, 100};
    run.see([&](std::size_t b, std::size_t q) { return b == 0 ? counts[q] : counts[q] / 2; });
    ASSERT_NO_FATAL_FAILURE(run.run());
    ASSERT_NO_FATAL_FAILURE(run.expect_definition(kFeatureTolerance<TypeParam>));
    ASSERT_NO_FATAL_FAILURE(run.run(true));
    ASSERT_NO_FATAL_FAILURE(run.expect_definition(kFeatureTolerance<TypeParam>));
  });
}

TYPED_TEST(FeatureAttention, ReadsNoKeyThatAQueryDoesNotSee) {
  on_every_target([] {
    const FeatureAttentionShape shape{.batch = 1,
                                      .key_heads = 1,
                                      .group = 1,
                                      .queries = 100,
                                      .keys = 100,
                                      .features = 8,
                                      .columns = 4};
    FeatureRun<TypeParam> clean(shape), bad(shape);
    constexpr std::size_t kFirst = 70;
    const auto nan = std::numeric_limits<TypeParam>::quiet_NaN();
    std::fill_n(bad.keys.data() + kFirst * shape.features, 8, nan);
    std::fill_n(bad.values.data() + kFirst * shape.columns, 4, nan);
    for (FeatureRun<TypeParam>* const run : {&clean, &bad}) {
      run->see(causal);
      // Only queries before it have a gradient to give.
      std::fill(run->d_context.data() + kFirst * shape.columns,
                run->d_context.data() + run->d_context.size(), TypeParam{0});
      ASSERT_NO_FATAL_FAILURE(run->run());
    }
    for (std::size_t i = 0; i < kFirst * shape.columns; ++i) {
      ASSERT_NEAR(bad.context[i], clean.context[i], kFeatureTolerance<TypeParam>) << i;
    }
    for (std::size_t i = 0; i < kFirst * shape.features; ++i) {
      ASSERT_NEAR(bad.d_query[i], clean.d_query[i], kFeatureTolerance<TypeParam>) << i;
    }
    EXPECT_TRUE(std::isnan(bad.context[kFirst * shape.columns]));
  });
}

TYPED_TEST(FeatureAttention, GivesZerosWhereAllFeaturesVanish) {
  FeatureRun<TypeParam> run({.batch = 1,
                             .key_heads = 1,
                             .group = 1,
                             .queries = 2,
                             .keys = 3,
                             .features = 4,
                             .columns = 2});
  std::fill_n(run.query.data(), 4, TypeParam{0});
  run.see(causal);
  ASSERT_NO_FATAL_FAILURE(run.run());
  EXPECT_EQ(run.context[0], 0);
  EXPECT_NE(run.context[2], 0);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(run.d_query[i], 0);
}

TYPED_TEST(FeatureAttention, GivesTheSameBitsOnTwoThreads) {
  const FeatureAttentionShape shape{.batch = 2,
                                    .key_heads = 2,
                                    .group = 1,
                                    .queries = 150,
                                    .keys = 150,
                                    .features = 16,
                                    .columns = 16};
  FeatureRun<TypeParam> one(shape), two(shape);
  one.see(causal);
  two.see(causal);
  {
    ThreadScope scope(1);
    ASSERT_NO_FATAL_FAILURE(one.run());
  }
  {
    ThreadScope scope(2);
    ASSERT_NO_FATAL_FAILURE(two.run());
  }
  const auto bytes = [](const GuardedBuffer<TypeParam>& x) { return x.size() * sizeof(TypeParam); };
  EXPECT_EQ(std::memcmp(one.context.data(), two.context.data(), bytes(one.context)), 0);
  EXPECT_EQ(std::memcmp(one.d_keys.data(), two.d_keys.data(), bytes(one.d_keys)), 0);
}

}  // namespace
}  // namespace heed::kernels
