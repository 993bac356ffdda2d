// SPDX-License-Identifier: Apache-2.0
// Tests of the matrix products against a scalar reference, on every CPU target.
#include "heed/kernels/products/gemm.h"

#include <algorithm>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include "heed/base/threads.h"
#include "heed/kernels/products/gemm_blocks.h"
#include "heed/kernels/products/onednn.h"
#include "heed/kernels/testing.h"

namespace heed::kernels {
namespace {

double activated(Activation activation, double x) {
  switch (activation) {
    case Activation::none:
      return x;
    case Activation::relu:
      return std::max(x, 0.0);
    case Activation::gelu:
      return x * 0.5 * (1 + std::erf(x / std::sqrt(2.0)));
    case Activation::gelu_tanh:
      return x * 0.5 * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
    case Activation::tanh:
      return std::tanh(x);
    case Activation::sigmoid:
      return 1 / (1 + std::exp(-x));
    case Activation::swish:
      return x / (1 + std::exp(-x));
  }
  return x;
}

// Small whole numbers over 8: products and sums of them are exact in float for the sizes here, so
// that results may be compared for equality whatever the order of summation.
template <typename T>
void fill_exact(T* x, std::size_t n, std::mt19937& random) {
  for (std::size_t i = 0; i < n; ++i)
    x[i] = static_cast<T>(static_cast<int>(random() % 17) - 8) / 8;
}

// Rows of a matrix with its stride, between guards; the gap between rows must stay as it was.
template <typename T>
struct Matrix {
  Matrix(std::size_t rows, std::size_t columns, std::size_t gap, std::size_t offset,
         std::mt19937& random)
      : stride(columns + gap), values(rows * (columns + gap), offset) {
    fill_exact(values.data(), values.size(), random);
  }
  std::size_t stride;
  GuardedBuffer<T> values;
};

// How a case departs from the plain product.
template <typename T>
struct Case {
  GemmOptions<T> options;
  std::size_t gap = 0;     // elements between rows
  std::size_t offset = 0;  // elements past a 64-byte boundary
  bool biased = false;
  bool packed = false;
  bool onednn = false;  // called directly, whatever gemm would choose here
};

template <typename T>
void expect_right(Case<T> test, std::mt19937& random) {
  GemmOptions<T>& o = test.options;
  SCOPED_TRACE(::testing::Message()
               << "m " << o.m << " n " << o.n << " k " << o.k << " transpose " << o.transpose_a
               << o.transpose_b << " alpha " << o.alpha << " beta " << o.beta << " gap " << test.gap
               << " bias " << test.biased << " packed " << test.packed << " onednn " << test.onednn
               << " activation " << static_cast<int>(o.activation));
  Matrix<T> a(o.transpose_a ? o.k : o.m, o.transpose_a ? o.m : o.k, test.gap, test.offset, random);
  Matrix<T> b(o.transpose_b ? o.n : o.k, o.transpose_b ? o.k : o.n, test.gap, test.offset, random);
  Matrix<T> c(o.m, o.n, test.gap, test.offset, random);
  GuardedBuffer<T> bias(o.n, test.offset);
  fill_exact(bias.data(), o.n, random);
  if (test.gap != 0) {
    o.lda = a.stride;
    o.ldb = b.stride;
    o.ldc = c.stride;
  }
  if (test.biased) o.bias = bias.data();
  std::vector<T> before(c.values.data(), c.values.data() + c.values.size());
  if (o.beta == 0) {
    for (std::size_t i = 0; i < o.m; ++i) {
      for (std::size_t j = 0; j < o.n; ++j) c.values[i * c.stride + j] = NAN;
    }
  }
  if (test.packed) {
    GuardedBuffer<T> packed(packed_size<T>(o.k, o.n), test.offset);
    pack(b.values.data(),
         {.k = o.k, .n = o.n, .transpose_b = o.transpose_b, .ldb = test.gap != 0 ? b.stride : 0},
         packed.data());
    gemm_packed(a.values.data(), packed.data(), c.values.data(), o);
  } else if (test.onednn) {
    if constexpr (std::is_same_v<T, float>) {
      GemmProblem<T> problem{o, a.values.data(), b.values.data(), nullptr, c.values.data()};
      problem.options.lda = a.stride;
      problem.options.ldb = b.stride;
      problem.options.ldc = c.stride;
      ASSERT_TRUE(onednn_gemm(problem));
    }
  } else {
    gemm(a.values.data(), b.values.data(), c.values.data(), o);
  }
  const double tolerance = o.activation == Activation::none ? 0 : sizeof(T) == 4 ? 1e-6 : 1e-14;
  for (std::size_t i = 0; i < o.m; ++i) {
    for (std::size_t j = 0; j < c.stride; ++j) {
      const std::size_t at = i * c.stride + j;
      double expected = before[at];
      if (j < o.n) {
        double sum = 0;
        for (std::size_t p = 0; p < o.k; ++p) {
          sum +=
              static_cast<double>(a.values[o.transpose_a ? p * a.stride + i : i * a.stride + p]) *
              b.values[o.transpose_b ? j * b.stride + p : p * b.stride + j];
        }
        expected = o.alpha * sum + (o.beta == 0 ? 0 : o.beta * expected);
        if (test.biased) expected += bias[j];
        expected = activated(o.activation, expected);
      }
      ASSERT_NEAR(c.values[at], expected, tolerance * std::max(1.0, std::abs(expected)))
          << "row " << i << " column " << j;
    }
  }
}

template <typename T>
class Gemm : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Gemm, Scalars);

TYPED_TEST(Gemm, MatchesTheScalarProductAtAllSmallSizesAndTranspositions) {
  std::mt19937 random(1);
  on_every_target([&] {
    for (std::size_t m : {1, 2, 3, 4, 5, 6, 7, 11, 13}) {
      for (std::size_t n : {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 65}) {
        for (std::size_t k : {1, 2, 3, 4, 5, 7, 8, 13}) {
          for (int transposed = 0; transposed < 4; ++transposed) {
            Case<TypeParam> test;
            test.options = {.m = m, .n = n, .k = k};
            test.options.transpose_a = (transposed & 1) != 0;
            test.options.transpose_b = (transposed & 2) != 0;
            test.gap = (m + n + k) % 3;
            test.offset = (m + k) % 5;
            test.packed = (m + n) % 2 == 0;
            expect_right(test, random);
            if (this->HasFatalFailure()) return;
          }
        }
      }
    }
  });
}

// Sizes around the edges of the blocks: depth 128 and 256, the rows of a packed block of A, the
// columns of a packed block of B.
TYPED_TEST(Gemm, MatchesTheScalarProductAcrossBlockEdges) {
  std::mt19937 random(2);
  struct Size {
    std::size_t m, n, k;
  };
  on_every_target([&] {
    for (const Size size :
         {Size{49, 40, 129}, Size{163, 70, 257}, Size{50, 1030, 40}, Size{7, 530, 300},
          Size{1, 1030, 300}, Size{6, 128, 513}, Size{331, 33, 130}}) {
      for (int transposed = 0; transposed < 4; ++transposed) {
        for (const bool packed : {false, true}) {
          Case<TypeParam> test;
          test.options = {.m = size.m, .n = size.n, .k = size.k};
          test.options.transpose_a = (transposed & 1) != 0;
          test.options.transpose_b = (transposed & 2) != 0;
          test.options.beta = TypeParam{0.5};
          test.biased = true;
          test.gap = 3;
          test.packed = packed;
          expect_right(test, random);
          if (this->HasFatalFailure()) return;
        }
      }
    }
  });
}

TYPED_TEST(Gemm, AppliesAlphaBetaBiasAndEveryActivation) {
  std::mt19937 random(3);
  on_every_target([&] {
    for (const Activation activation :
         {Activation::none, Activation::relu, Activation::gelu, Activation::gelu_tanh,
          Activation::tanh, Activation::sigmoid, Activation::swish}) {
      for (const double beta : {0.0, 1.0, -0.25}) {
        for (const bool biased : {false, true}) {
          for (const std::size_t n : {5, 64, 70}) {
            Case<TypeParam> test;
            test.options = {.m = 8, .n = n, .k = 5};
            test.options.alpha = TypeParam{-0.5};
            test.options.beta = static_cast<TypeParam>(beta);
            test.options.activation = activation;
            test.biased = biased;
            test.packed = biased;
            expect_right(test, random);
            if (this->HasFatalFailure()) return;
          }
        }
      }
    }
  });
}

TYPED_TEST(Gemm, GivesBetaCPlusBiasWhenThereIsNothingToSum) {
  std::mt19937 random(4);
  on_every_target([&] {
    for (const double beta : {0.0, 0.5}) {
      Case<TypeParam> test;
      test.options = {.m = 9, .n = 21, .k = 0};
      test.options.beta = static_cast<TypeParam>(beta);
      test.biased = true;
      expect_right(test, random);
      test.packed = true;
      expect_right(test, random);
    }
  });
}

TYPED_TEST(Gemm, TouchesNothingWithoutRowsOrColumns) {
  GuardedBuffer<TypeParam> c(0);
  const TypeParam one = 1;
  gemm<TypeParam>(&one, &one, c.data(), {.m = 0, .n = 5, .k = 3});
  gemm<TypeParam>(&one, &one, c.data(), {.m = 5, .n = 0, .k = 3});
  batched_gemm<TypeParam>(&one, &one, c.data(), {.m = 5, .n = 5, .k = 3}, {.count = 0});
}

TYPED_TEST(Gemm, IsRightForEveryThreadCountAndRepeatsItsBits) {
  std::mt19937 random(5);
  std::uniform_real_distribution<TypeParam> uniform(-1, 1);
  for (const std::size_t m : {3, 150, 301}) {
    const std::size_t n = 260;
    const std::size_t k = m == 3 ? 2100 : 270;
    std::vector<TypeParam> a(m * k), b(k * n), one(m * n), several(m * n), again(m * n);
    for (TypeParam& x : a) x = uniform(random);
    for (TypeParam& x : b) x = uniform(random);
    const GemmOptions<TypeParam> options{.m = m, .n = n, .k = k};
    {
      ThreadScope scope(1);
      gemm(a.data(), b.data(), one.data(), options);
    }
    for (const int count : {2, 3, 5}) {
      SCOPED_TRACE(::testing::Message() << count << " threads, " << m << " rows");
      ThreadScope scope(count);
      gemm(a.data(), b.data(), several.data(), options);
      gemm(a.data(), b.data(), again.data(), options);
      EXPECT_EQ(several, again);
      // Sums of k products of deviation 1/3, so of magnitude sqrt(k)/3.
      const double tolerance = 1000 * std::numeric_limits<TypeParam>::epsilon();
      for (std::size_t i = 0; i < one.size(); ++i) ASSERT_NEAR(several[i], one[i], tolerance) << i;
    }
  }
}

TYPED_TEST(Gemm, LetsNaNInOneRowOfAReachThatRowOfCOnly) {
  on_every_target([] {
    for (const std::size_t m : {7, 107}) {
      const std::size_t n = m - 2, k = m - 4;
      std::vector<TypeParam> a(m * k, TypeParam{1}), b(k * n, TypeParam{1}), c(m * n);
      a[4 * k] = NAN;
      gemm<TypeParam>(a.data(), b.data(), c.data(), {.m = m, .n = n, .k = k});
      for (std::size_t i = 0; i < c.size(); ++i) EXPECT_EQ(std::isnan(c[i]), i / n == 4) << i;
    }
  });
}

// Products that gemm gives to oneDNN where that is faster (96 rows, columns and depth and more, on
// AVX-512): each transposition with one thread and two, into NaN with beta 0 and onto C, dense and
// with gaps, in turn with a bias and with activations.
template <typename T>
void expect_large_products_right(bool onednn) {
  struct Size {
    std::size_t m, n, k;
  };
  constexpr Size kSizes[] = {{96, 96, 96}, {97, 131, 100}, {150, 98, 103}};
  constexpr Activation kActivations[] = {Activation::none, Activation::relu, Activation::gelu,
                                         Activation::none, Activation::swish};
  std::mt19937 random(9);
  std::size_t turn = 0;
  for (int transposed = 0; transposed < 4; ++transposed) {
    for (const int count : {1, 2}) {
      SCOPED_TRACE(::testing::Message() << count << " threads");
      ThreadScope scope(count);
      for (const double beta : {0.0, 0.5}) {
        const Size size = kSizes[turn % 3];
        Case<T> test;
        test.options = {.m = size.m, .n = size.n, .k = size.k};
        test.options.transpose_a = (transposed & 1) != 0;
        test.options.transpose_b = (transposed & 2) != 0;
        test.options.alpha = turn % 3 == 1 ? T{-0.5} : T{1};
        test.options.beta = static_cast<T>(beta);
        test.options.activation = kActivations[turn % 5];
        test.biased = turn % 4 > 1;
        test.gap = turn % 5;
        test.offset = turn % 3;
        test.onednn = onednn;
        expect_right(test, random);
        if (::testing::Test::HasFatalFailure()) return;
        ++turn;
      }
    }
  }
}

TYPED_TEST(Gemm, MatchesTheScalarProductWhereOneDnnMayComputeIt) {
  on_every_target([] { expect_large_products_right<TypeParam>(false); });
}

TEST(OneDnn, MatchesTheScalarProductOnAnyCpu) {
  expect_large_products_right<float>(true);
}

// Each matrix of the batch must equal the single product of its operands.
template <typename T>
void expect_batch_right(const GemmOptions<T>& options, const BatchStrides& strides) {
  SCOPED_TRACE(::testing::Message() << "count " << strides.count << " m " << options.m << " k "
                                    << options.k << " strides " << strides.a << " " << strides.b);
  std::mt19937 random(6);
  const std::size_t last = strides.count - 1;
  GuardedBuffer<T> a(last * strides.a + options.m * options.k, 1);
  GuardedBuffer<T> b(last * strides.b + options.k * options.n, 3);
  GuardedBuffer<T> c(last * strides.c + options.m * options.n, 2);
  fill_exact(a.data(), a.size(), random);
  fill_exact(b.data(), b.size(), random);
  batched_gemm(a.data(), b.data(), c.data(), options, strides);
  std::vector<T> single(options.m * options.n);
  for (std::size_t i = 0; i < strides.count; ++i) {
    gemm(a.data() + i * strides.a, b.data() + i * strides.b, single.data(), options);
    for (std::size_t j = 0; j < single.size(); ++j) {
      ASSERT_EQ(c[i * strides.c + j], single[j]) << "matrix " << i << " element " << j;
    }
  }
}

TYPED_TEST(Gemm, ComputesEveryMatrixOfABatch) {
  for (const int count : {1, 2}) {
    ThreadScope scope(count);
    for (const std::size_t m : {3, 40, 120}) {
      for (const std::size_t batch : {1, 2, 3, 9}) {
        GemmOptions<TypeParam> options{.m = m, .n = m + 1, .k = 70};
        const std::size_t size = m * (m + 1);
        expect_batch_right(options, {batch, m * 70, 70 * (m + 1), size});
        expect_batch_right(options, {batch, m * 70 + 5, 70 * (m + 1) + 7, size + 1});
        expect_batch_right(options, {batch, m * 70, 0, size});
        expect_batch_right(options, {batch, m * 70, 0, size + 3});
        expect_batch_right(options, {batch, m * 70 + 5, 0, size});
        expect_batch_right(options, {batch, 0, 70 * (m + 1), size});
        options.transpose_a = options.transpose_b = true;
        expect_batch_right(options, {batch, m * 70, 70 * (m + 1), size});
        if (this->HasFatalFailure()) return;
      }
    }
  }
}

}  // namespace
}  // namespace heed::kernels
