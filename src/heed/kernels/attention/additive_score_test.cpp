// SPDX-License-Identifier: Apache-2.0
// The additive score against a scalar reference on every target: activations, grouped heads, tails,
// NaN behind a zero gradient, threads.
#include "heed/kernels/attention/additive_score.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "heed/base/threads.h"
#include "heed/kernels/testing.h"

namespace heed::kernels {
namespace {

struct AdditiveActivation {
  double value;
  double slope;
};

AdditiveActivation bend(Activation activation, double z) {
  const double s = 1 / (1 + std::exp(-z));
  const double phi = 0.5 * std::erfc(-z / std::sqrt(2.0));
  const double density = std::exp(-z * z / 2) / std::sqrt(2 * std::acos(-1.0));
  const double u = std::sqrt(8 / std::acos(-1.0)) * (z + 0.044715 * z * z * z);
  const double u_slope = std::sqrt(8 / std::acos(-1.0)) * (1 + 3 * 0.044715 * z * z);
  const double t = 1 / (1 + std::exp(-u));
  switch (activation) {
    case Activation::tanh:
      return {std::tanh(z), 1 - std::tanh(z) * std::tanh(z)};
    case Activation::relu:
      return {std::max(z, 0.0), z > 0 ? 1.0 : 0.0};
    case Activation::sigmoid:
      return {s, s * (1 - s)};
    case Activation::gelu:
      return {z * phi, phi + z * density};
    case Activation::gelu_tanh:
      return {z * t, t + z * t * (1 - t) * u_slope};
    case Activation::swish:
      return {z * s, s + z * s * (1 - s)};
    case Activation::none:
      break;
  }
  return {z, 1};
}

template <typename T>
struct Pairs {
  std::size_t batch = 2, heads = 1, key_heads = 1, queries = 3, keys = 5, size = 7;
  Activation activation = Activation::tanh;
  std::size_t query_size() const { return batch * heads * queries * size; }
  std::size_t key_size() const { return batch * key_heads * keys * size; }
  std::size_t score_size() const { return batch * heads * queries * keys; }
};

// Inputs and results of the kernel in guarded buffers, and the same in double by definition.
template <typename T>
struct Run {
  explicit Run(const Pairs<T>& pairs)
      : shape(pairs),
        query(pairs.query_size(), 1),
        key(pairs.key_size(), 2),
        v(pairs.heads * pairs.size, 3),
        scores(pairs.score_size()),
        d_scores(pairs.score_size(), 1),
        d_query(pairs.query_size(), 2),
        d_key(pairs.key_size(), 3),
        d_v(pairs.batch * pairs.heads * pairs.size) {
    fill_uniform(query.data(), query.size(), -2, 2, 1);
    fill_uniform(key.data(), key.size(), -2, 2, 2);
    fill_uniform(v.data(), v.size(), -1, 1, 3);
    fill_uniform(d_scores.data(), d_scores.size(), -1, 1, 4);
  }
  AdditiveScore<T> problem() {
    return {.batch = shape.batch,
            .heads = shape.heads,
            .key_heads = shape.key_heads,
            .queries = shape.queries,
            .keys = shape.keys,
            .size = shape.size,
            .activation = shape.activation,
            .query = query.data(),
            .key = key.data(),
            .v = v.data()};
  }
  void forward() { additive_score(problem(), scores.data()); }
  void backward() {
    additive_score_backward(problem(), d_scores.data(),
                            {.query = d_query.data(), .key = d_key.data(), .v = d_v.data()});
  }
  void expect_reference() {
    std::vector<double> y(scores.size()), dq(d_query.size()), dk(d_key.size()), dv(d_v.size());
    const std::size_t group = shape.heads / shape.key_heads;
    for (std::size_t row = 0; row < y.size() / std::max<std::size_t>(shape.keys, 1); ++row) {
      const std::size_t head = row / shape.queries;
      for (std::size_t k = 0; k < shape.keys; ++k) {
        const std::size_t at = row * shape.keys + k;
        for (std::size_t s = 0; s < shape.size; ++s) {
          const std::size_t key_at = (head / group * shape.keys + k) * shape.size + s;
          const double weight = v[head % shape.heads * shape.size + s];
          const double z = static_cast<double>(query[row * shape.size + s]) + key[key_at];
          const AdditiveActivation bent = bend(shape.activation, z);
          y[at] += weight * bent.value;
          const double d_z = d_scores[at] * weight * bent.slope;
          dq[row * shape.size + s] += d_z;
          dk[key_at] += d_z;
          dv[head * shape.size + s] += d_scores[at] * bent.value;
        }
      }
    }
    expect_near(scores, y);
    expect_near(d_query, dq);
    expect_near(d_key, dk);
    expect_near(d_v, dv);
  }
  void expect_near(GuardedBuffer<T>& found, const std::vector<double>& expected) {
    const double tolerance = 400 * std::numeric_limits<T>::epsilon();
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_NEAR(found[i], expected[i], tolerance * (1 + std::abs(expected[i]))) << "at " << i;
    }
  }

  Pairs<T> shape;
  GuardedBuffer<T> query, key, v, scores, d_scores, d_query, d_key, d_v;
};

template <typename T>
class AdditiveScoreKernel : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(AdditiveScoreKernel, Types);

TYPED_TEST(AdditiveScoreKernel, AgreesWithTheDefinitionForEveryActivation) {
  on_every_target([] {
    for (const Activation activation :
         {Activation::none, Activation::relu, Activation::gelu, Activation::gelu_tanh,
          Activation::tanh, Activation::sigmoid, Activation::swish}) {
      Run<TypeParam> run({.activation = activation});
      run.forward();
      run.backward();
      run.expect_reference();
    }
  });
}

TYPED_TEST(AdditiveScoreKernel, AgreesWithTheDefinitionAtEverySizeAndWithGroupedHeads) {
  on_every_target([] {
    for (std::size_t size = 1; size <= 35; ++size) {
      Run<TypeParam> run({.heads = 4, .key_heads = 2, .queries = 2, .keys = 3, .size = size});
      run.forward();
      run.backward();
      run.expect_reference();
    }
    // More keys and queries than a tile holds.
    Run<TypeParam> tiles({.batch = 1, .heads = 2, .queries = 11, .keys = 70, .size = 20});
    tiles.forward();
    tiles.backward();
    tiles.expect_reference();
  });
}

TYPED_TEST(AdditiveScoreKernel, LeavesOutPairsWhoseScoreHasNoGradient) {
  on_every_target([] {
    Run<TypeParam> run({.batch = 1});
    const std::size_t masked = 2;
    for (std::size_t s = 0; s < run.shape.size; ++s) {
      run.key[masked * run.shape.size + s] = std::numeric_limits<TypeParam>::quiet_NaN();
    }
    for (std::size_t q = 0; q < run.shape.queries; ++q) {
      run.d_scores[q * run.shape.keys + masked] = 0;
    }
    run.backward();
    for (std::size_t i = 0; i < run.d_query.size(); ++i) ASSERT_TRUE(std::isfinite(run.d_query[i]));
    for (std::size_t i = 0; i < run.d_v.size(); ++i) ASSERT_TRUE(std::isfinite(run.d_v[i]));
    for (std::size_t s = 0; s < run.shape.size; ++s) {
      EXPECT_EQ(run.d_key[masked * run.shape.size + s], 0);
    }
  });
}

TYPED_TEST(AdditiveScoreKernel, GivesZeroGradientsWithoutKeys) {
  Run<TypeParam> run({.keys = 0});
  run.forward();
  run.backward();
  run.expect_reference();
}

TYPED_TEST(AdditiveScoreKernel, GivesTheSameBitsWithAnyNumberOfThreads) {
  const Pairs<TypeParam> pairs{.heads = 4, .key_heads = 2, .queries = 33, .keys = 70, .size = 40};
  Run<TypeParam> one(pairs), three(pairs);
  {
    const ThreadScope scope(1);
    one.forward();
    one.backward();
  }
  {
    const ThreadScope scope(3);
    three.forward();
    three.backward();
  }
  const auto same = [](GuardedBuffer<TypeParam>& a, GuardedBuffer<TypeParam>& b) {
    return std::equal(a.data(), a.data() + a.size(), b.data());
  };
  EXPECT_TRUE(same(one.scores, three.scores));
  EXPECT_TRUE(same(one.d_query, three.d_query));
  EXPECT_TRUE(same(one.d_key, three.d_key));
  EXPECT_TRUE(same(one.d_v, three.d_v));
}

}  // namespace
}  // namespace heed::kernels
