// SPDX-License-Identifier: Apache-2.0
// Cross-entropy and its gradient against their definitions in double.
#include "heed/kernels/cross_entropy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "heed/base/random.h"
#include "heed/base/threads.h"
#include "heed/kernels/testing.h"

namespace heed::kernels {
namespace {

struct Case {
  std::size_t rows;
  std::size_t classes;
  std::size_t offset = 0;
  double smoothing = 0;
  double spread = 8;  // logits lie within this distance of `centre`
  double centre = 0;
};

template <typename T>
struct Buffers {
  explicit Buffers(const Case& c)
      : logits(c.rows * c.classes, c.offset),
        targets(c.rows, c.offset),
        losses(c.rows, c.offset),
        log_sum_exp(c.rows, c.offset),
        scales(c.rows, c.offset),
        dlogits(c.rows * c.classes, c.offset) {
    Random random(c.rows, c.classes);
    for (std::size_t i = 0; i < logits.size(); ++i) {
      logits[i] = static_cast<T>(c.centre + c.spread * (2 * random.uniform() - 1));
    }
    for (std::size_t row = 0; row < c.rows; ++row) {
      targets[row] = row % 4 == 2 ? -1 : static_cast<std::int32_t>(random.integer(c.classes));
      scales[row] = random.uniform<T>();
    }
  }

  CrossEntropyRows<T> rows(const Case& c) {
    return {.logits = logits.data(),
            .targets = targets.data(),
            .rows = c.rows,
            .classes = c.classes,
            .smoothing = static_cast<T>(c.smoothing)};
  }
  void run(const Case& c) {
    cross_entropy(rows(c), losses.data(), log_sum_exp.data());
    cross_entropy_backward(rows(c), log_sum_exp.data(), scales.data(), dlogits.data());
  }

  GuardedBuffer<T> logits;
  GuardedBuffer<std::int32_t> targets;
  GuardedBuffer<T> losses, log_sum_exp, scales, dlogits;
};

template <typename T>
void expect_reference(const Case& c) {
  const double tolerance = std::is_same_v<T, float> ? 4e-6 : 8e-15;
  Buffers<T> b(c);
  b.run(c);
  const double smoothing = static_cast<T>(c.smoothing);
  for (std::size_t row = 0; row < c.rows; ++row) {
    T* const z = b.logits.data() + row * c.classes;
    T* const dz = b.dlogits.data() + row * c.classes;
    double top = z[0], total = 0;
    for (std::size_t i = 0; i < c.classes; ++i) top = std::max<double>(top, z[i]);
    for (std::size_t i = 0; i < c.classes; ++i) total += std::exp(z[i] - top);
    const double log_sum_exp = top + std::log(total);
    const double size = 1 + std::abs(log_sum_exp);
    ASSERT_NEAR(b.log_sum_exp[row], log_sum_exp, tolerance * size);
    double loss = 0;
    for (std::size_t i = 0; i < c.classes; ++i) {
      const double is_target = static_cast<std::int32_t>(i) == b.targets[row] ? 1 : 0;
      const double share = (1 - smoothing) * is_target + smoothing / c.classes;
      loss += share * (log_sum_exp - z[i]);
      const double gradient = b.scales[row] * (std::exp(z[i] - log_sum_exp) - share);
      ASSERT_NEAR(dz[i], b.targets[row] < 0 ? 0 : gradient, tolerance * size)
          << "row " << row << " class " << i << " of " << c.classes;
    }
    ASSERT_NEAR(b.losses[row], b.targets[row] < 0 ? 0 : loss, tolerance * (1 + c.spread));
  }
}

template <typename T>
class CrossEntropy : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(CrossEntropy, Scalars);

TYPED_TEST(CrossEntropy, EqualsItsDefinitionAtEverySmallSizeAndOffset) {
  on_every_target([] {
    for (std::size_t rows = 0; rows <= 5; ++rows) {
      for (std::size_t classes = 1; classes <= 67; ++classes) {
        ASSERT_NO_FATAL_FAILURE(expect_reference<TypeParam>({.rows = rows,
                                                             .classes = classes,
                                                             .offset = (rows + classes) % 4,
                                                             .smoothing = rows % 2 * 0.1}));
      }
    }
  });
}

TYPED_TEST(CrossEntropy, EqualsItsDefinitionOnALargeVocabularyWhateverTheThreadCount) {
  on_every_target([] {
    for (const int count : {1, 2}) {
      ThreadScope scope(count);
      ASSERT_NO_FATAL_FAILURE(
          expect_reference<TypeParam>({.rows = 5, .classes = 8003, .offset = 1, .smoothing = 0.1}));
      ASSERT_NO_FATAL_FAILURE(expect_reference<TypeParam>({.rows = 999, .classes = 17}));
    }
  });
}

TYPED_TEST(CrossEntropy, KeepsItsDigitsWhenAllLogitsAreLarge) {
  on_every_target([] {
    const std::vector<TypeParam> logits = {10000, 10001};
    const std::vector<std::int32_t> targets = {0};
    TypeParam loss, log_sum_exp;
    cross_entropy<TypeParam>(
        {.logits = logits.data(), .targets = targets.data(), .rows = 1, .classes = 2}, &loss,
        &log_sum_exp);
    EXPECT_NEAR(loss, 1.3132616875182228, 1e-6);  // log(1 + e)
  });
}

TYPED_TEST(CrossEntropy, TakesALogitOfMinusInfinityAsProbabilityZero) {
  on_every_target([] {
    const std::vector<TypeParam> logits = {1, -INFINITY, 1};
    const std::vector<std::int32_t> targets = {0};
    const CrossEntropyRows<TypeParam> rows{
        .logits = logits.data(), .targets = targets.data(), .rows = 1, .classes = 3};
    TypeParam loss, log_sum_exp;
    const TypeParam scale = 1;
    std::vector<TypeParam> dlogits(3);
    cross_entropy(rows, &loss, &log_sum_exp);
    EXPECT_NEAR(loss, 0.6931471805599453, 1e-6);
    cross_entropy_backward(rows, &log_sum_exp, &scale, dlogits.data());
    EXPECT_NEAR(dlogits[0], -0.5, 1e-6);
    EXPECT_EQ(dlogits[1], 0);
    EXPECT_NEAR(dlogits[2], 0.5, 1e-6);
  });
}

TYPED_TEST(CrossEntropy, PassesANanLogitOn) {
  on_every_target([] {
    for (std::size_t at = 0; at < 19; ++at) {
      std::vector<TypeParam> logits(19, 1);
      logits[at] = std::nan("");
      const std::vector<std::int32_t> targets = {0};
      TypeParam loss = 0, log_sum_exp = 0;
      cross_entropy<TypeParam>(
          {.logits = logits.data(), .targets = targets.data(), .rows = 1, .classes = 19}, &loss,
          &log_sum_exp);
      EXPECT_TRUE(std::isnan(loss)) << "NaN at class " << at;
    }
  });
}

TYPED_TEST(CrossEntropy, WritesItsGradientOverTheLogits) {
  on_every_target([] {
    const Case c{.rows = 4, .classes = 23, .smoothing = 0.2};
    Buffers<TypeParam> b(c);
    b.run(c);
    cross_entropy_backward(b.rows(c), b.log_sum_exp.data(), b.scales.data(), b.logits.data());
    for (std::size_t i = 0; i < b.logits.size(); ++i) ASSERT_EQ(b.logits[i], b.dlogits[i]);
  });
}

}  // namespace
}  // namespace heed::kernels
