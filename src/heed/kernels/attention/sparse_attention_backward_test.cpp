// SPDX-License-Identifier: Apache-2.0
// The gradients of sparse fused attention equal those of its composition, on every CPU target.
#include <cmath>
#include <limits>

#include "heed/base/threads.h"
#include "heed/kernels/attention/sparse_attention.h"
#include "heed/kernels/attention/sparse_attention_testing.h"

namespace heed::kernels {
namespace {

// The gradients from the definitions, in double, dense.
template <typename T>
struct ReferenceGradients {
  std::vector<double> query, keys, values, alpha;
  double slope = 0;

  explicit ReferenceGradients(const SparseProblem<T>& p) {
    const AttentionSizes& s = p.of.sizes;
    query.resize(s.batch * s.heads * s.queries * s.width);
    keys.resize(s.batch * s.key_heads * s.keys * s.width);
    values.resize(s.batch * s.key_heads * s.keys * s.value_width);
    alpha.resize(s.heads);
    over_rows(s, [&](std::size_t b, std::size_t h, std::size_t q) { add(p, b, h, q); });
  }
  void add(const SparseProblem<T>& p, std::size_t b, std::size_t h, std::size_t q) {
    const AttentionSizes& s = p.of.sizes;
    const std::size_t g = h / (s.heads / s.key_heads);
    const ReferenceRow<T> row(p, b, h, q);
    const std::size_t n = row.keys.size();
    const T* upstream = p.d_context.view().row(b, h, q);
    std::vector<double> d_weights(n), d_scores(n);
    const auto key = [&](std::size_t i) { return static_cast<std::size_t>(row.keys[i]); };
    for (std::size_t i = 0; i < n; ++i) {
      double* d_value = values.data() + ((b * s.key_heads + g) * s.keys + key(i)) * s.value_width;
      for (std::size_t j = 0; j < s.value_width; ++j) {
        d_weights[i] += row.factors[i] * upstream[j] * p.values.view().row(b, g, key(i))[j];
        d_value[j] += row.factors[i] * row.weights[i] * upstream[j];
      }
    }
    const double a = p.of.normaliser().alpha_of(h);
    entmax_backward(a, row.weights.data(), d_weights.data(), d_scores.data(), 1, n);
    alpha[h] += entmax_alpha_gradient(a, row.weights.data(), d_weights.data(), n);
    for (std::size_t i = 0; i < n; ++i) {
      double d = d_scores[i];
      if (p.of.changed) {
        slope -= d * ReferenceRow<T>::distance(h, q, key(i));
        d *= 1 - row.capped[i] * row.capped[i] / 4;
      }
      d *= p.call().scale;
      double* d_key = keys.data() + ((b * s.key_heads + g) * s.keys + key(i)) * s.width;
      double* d_query = query.data() + ReferenceRow<T>::row_of(s, b, h, q) * s.width;
      for (std::size_t j = 0; j < s.width; ++j) {
        d_query[j] += d * p.keys.view().row(b, g, key(i))[j];
        d_key[j] += d * p.query.view().row(b, h, q)[j];
      }
    }
  }
};

template <typename T>
void expect_near(const TestHeads<T>& found, const std::vector<double>& expected, std::size_t batch,
                 std::size_t heads, std::size_t length, std::size_t width, double tolerance) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const std::size_t row = i / width;
    const T x =
        found.view().row(row / length / heads, row / length % heads, row % length)[i % width];
    ASSERT_NEAR(x, expected[i], tolerance) << "item " << i << " of batch " << batch;
  }
}

template <typename T>
void expect_gradients(const SparseCase& c, std::uint32_t seed, double tolerance) {
  SCOPED_TRACE(described(c) + " seed " + std::to_string(seed));
  SparseProblem<T> p(c, seed);
  ASSERT_TRUE(p.forward());
  ASSERT_TRUE(p.backward());
  const ReferenceGradients<T> expected(p);
  const AttentionSizes& s = c.sizes;
  expect_near(p.d_query, expected.query, s.batch, s.heads, s.queries, s.width, tolerance);
  expect_near(p.d_keys, expected.keys, s.batch, s.key_heads, s.keys, s.width, tolerance);
  expect_near(p.d_values, expected.values, s.batch, s.key_heads, s.keys, s.value_width, tolerance);
  const double many = static_cast<double>(1 + s.queries * s.keys);
  if (c.changed) {
    EXPECT_NEAR(p.d_parameters[0], expected.slope, tolerance * many);
  }
  if (c.kind == SparseNormaliser::Kind::entmax) {
    for (std::size_t h = 0; h < s.heads; ++h) {
      EXPECT_NEAR(p.d_alpha[h], expected.alpha[h], tolerance * many);
    }
  }
}

TEST(SparseAttentionBackward, EqualsItsCompositionInDouble) {
  ThreadScope threads(1);
  on_every_target([] {
    for (std::uint32_t seed = 0; seed < 120; ++seed) {
      expect_gradients<double>(random_case(seed), seed, 1e-9);
    }
  });
}

TEST(SparseAttentionBackward, EqualsItsCompositionInFloat) {
  ThreadScope threads(1);
  on_every_target([] {
    for (std::uint32_t seed = 0; seed < 120; ++seed) {
      SparseCase c = random_case(2000 + seed);
      // A key that joins the support by rounding moves the gradient of sparsemax by a step, and so
      // does a change of places among the k best.
      c.kind = SparseNormaliser::Kind::entmax;
      for (double& alpha : c.alpha) alpha = std::min(alpha, 1.6);
      expect_gradients<float>(c, seed, 3e-3);
    }
  });
}

TEST(SparseAttentionBackward, EqualsItsCompositionWithThreads) {
  for (const int count : {2, 3}) {
    ThreadScope threads(count);
    for (std::uint32_t seed = 0; seed < 20; ++seed) {
      SparseCase c = random_case(500 + seed);
      c.sizes.queries = 110;
      expect_gradients<double>(c, seed, 1e-9);
    }
  }
}

TEST(SparseAttentionBackward, GivesTheSameBitsForTheSameNumberOfThreads) {
  for (const int count : {1, 2, 3}) {
    ThreadScope threads(count);
    for (std::uint32_t seed = 0; seed < 10; ++seed) {
      SparseCase c = random_case(seed);
      c.sizes.queries = 200;
      SparseProblem<float> first(c), second(c);
      for (auto* p : {&first, &second}) {
        ASSERT_TRUE(p->forward());
        ASSERT_TRUE(p->backward());
      }
      EXPECT_EQ(first.d_alpha, second.d_alpha);
      EXPECT_EQ(first.d_parameters[0], second.d_parameters[0]);
      for (std::size_t b = 0; b < c.sizes.batch; ++b) {
        for (std::size_t g = 0; g < c.sizes.key_heads; ++g) {
          for (std::size_t k = 0; k < c.sizes.keys; ++k) {
            const float* x = first.d_keys.view().row(b, g, k);
            ASSERT_TRUE(std::equal(x, x + c.sizes.width, second.d_keys.view().row(b, g, k)));
          }
        }
      }
    }
  }
}

TEST(SparseAttentionBackward, DoesNotDependOnWhatWasKept) {
  ThreadScope threads(1);
  on_every_target([] {
    SparseCase c;
    c.sizes = {1, 2, 1, 60, 200, 16, 24};
    c.alpha = {1.5, 1.3};
    for (const std::size_t room : {0, 300, 48 * 200}) {
      c.room = room;
      expect_gradients<double>(c, 3, 1e-9);
    }
  });
}

TEST(SparseAttentionBackward, GivesZerosWhereNoKeyIsAllowed) {
  on_every_target([] {
    SparseCase c = random_case(5);
    c.mask = MaskKind::nothing;
    expect_gradients<float>(c, 1, 0);
  });
}

TEST(SparseAttentionBackward, TellsOfGradientsThatAreNotFinite) {
  on_every_target([] {
    SparseCase c;
    c.sizes = {1, 1, 1, 30, 40, 8, 8};
    SparseProblem<float> p(c);
    ASSERT_TRUE(p.forward());
    p.d_context.view().row(0, 0, 7)[2] = std::numeric_limits<float>::infinity();
    EXPECT_FALSE(p.backward());
  });
}

}  // namespace
}  // namespace heed::kernels
