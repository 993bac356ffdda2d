// SPDX-License-Identifier: Apache-2.0
// Products with weights in every form against their definition.
#include "heed/kernels/products/weight_rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "heed/base/half.h"
#include "heed/base/random.h"
#include "heed/kernels/testing.h"

namespace heed::kernels {
namespace {

template <typename T>
class WeightRowsOf : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(WeightRowsOf, Scalars);

template <typename T>
void fill(GuardedBuffer<T>& buffer, Random& random) {
  for (std::size_t i = 0; i < buffer.size(); ++i) {
    buffer[i] = static_cast<T>(random.uniform() * 2 - 1);
  }
}

enum class Form { values, bf16, whole };

template <typename T>
void expect_product(Form form, std::size_t m, std::size_t n, std::size_t k, std::size_t offset) {
  Random random(m * 10'007 + n * 101 + k);
  GuardedBuffer<T> x(m * k, offset), values(n * k, offset), bias(n, offset), y(m * n, offset),
      scales(n, offset);
  GuardedBuffer<std::uint16_t> halves(n * k, offset);
  GuardedBuffer<std::int8_t> whole(n * k, offset);
  fill(x, random);
  fill(values, random);
  fill(bias, random);
  WeightRows<T> w{.n = n, .k = k};
  if (form == Form::values) {
    w.values = values.data();
  } else if (form == Form::bf16) {
    round_to_bf16(values.data(), n * k, halves.data());
    w.bf16 = halves.data();
  } else {
    round_to_whole(values.data(), n, k, whole.data(), scales.data());
    w.whole = whole.data();
    w.scales = scales.data();
  }
  std::vector<T> stands_for(n * k);
  values_of(w, stands_for.data());
  const bool with_bias = (m + n) % 2 == 0;
  weight_rows(x.data(), m, w, with_bias ? bias.data() : nullptr, y.data());
  for (std::size_t row = 0; row < m; ++row) {
    for (std::size_t column = 0; column < n; ++column) {
      long double sum = with_bias ? bias[column] : 0, size = 1;
      for (std::size_t i = 0; i < k; ++i) {
        const long double product =
            static_cast<long double>(x[row * k + i]) * stands_for[column * k + i];
        sum += product;
        size += std::abs(product);
      }
      ASSERT_NEAR(y[row * n + column], static_cast<double>(sum),
                  static_cast<double>(size) * (sizeof(T) == 4 ? 1e-6 : 1e-14))
          << "row " << row << ", column " << column << ", k " << k;
    }
  }
}

TYPED_TEST(WeightRowsOf, GiveTheProductAtEverySmallSizeAndOffset) {
  on_every_target([] {
    for (const Form form : {Form::values, Form::bf16, Form::whole}) {
      for (std::size_t k = 0; k <= 67; ++k) {
        ASSERT_NO_FATAL_FAILURE(expect_product<TypeParam>(form, 1 + k % 3, 1 + k % 9, k, k % 4));
      }
    }
  });
}

TYPED_TEST(WeightRowsOf, GiveTheProductOfManyRowsAmongThreads) {
  for (const Form form : {Form::values, Form::bf16, Form::whole}) {
    ASSERT_NO_FATAL_FAILURE(expect_product<TypeParam>(form, 2, 1027, 300, 1));
  }
}

TYPED_TEST(WeightRowsOf, AreRoundedToTheNearestOfTheirForm) {
  using T = TypeParam;
  const std::vector<T> w = {0, 127, -63.4, 63.6, 0, 0, 0, 0, 2, -2, 1, T(.004)};
  std::vector<std::int8_t> whole(12);
  std::vector<T> scales(3);
  round_to_whole(w.data(), 3, 4, whole.data(), scales.data());
  EXPECT_EQ(whole, (std::vector<std::int8_t>{0, 127, -63, 64, 0, 0, 0, 0, 127, -127, 64, 0}));
  EXPECT_EQ(scales[0], 1);
  EXPECT_EQ(scales[1], 0) << "a row of zeros";
  // What was rounded once stays.
  std::vector<T> again(12), more(3);
  const WeightRows<T> rounded{.n = 3, .k = 4, .whole = whole.data(), .scales = scales.data()};
  values_of(rounded, again.data());
  std::vector<std::int8_t> twice(12);
  round_to_whole(again.data(), 3, 4, twice.data(), more.data());
  EXPECT_EQ(twice, whole);
  std::vector<std::uint16_t> halves(12);
  round_to_bf16(w.data(), 12, halves.data());
  EXPECT_EQ(halves[3], float_to_bf16(63.6f));
}

}  // namespace
}  // namespace heed::kernels
