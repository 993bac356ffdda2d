// SPDX-License-Identifier: Apache-2.0
// Layer norm and RMS norm against a scalar reference in double and against finite differences.
#include "heed/kernels/norms.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "heed/base/random.h"
#include "heed/base/threads.h"
#include "heed/kernels/testing.h"

namespace heed::kernels {
namespace {

enum class Kind { layer, rms };

struct Case {
  Kind kind;
  std::size_t rows;
  std::size_t columns;
  std::size_t offset = 0;
  bool with_gain = true;
  bool with_bias = true;
};

template <typename T>
void fill(GuardedBuffer<T>& buffer, Random& random, T centre = 0) {
  for (std::size_t i = 0; i < buffer.size(); ++i) buffer[i] = centre + 4 * random.uniform<T>() - 2;
}

// Everything one forward and backward call reads and writes.
template <typename T>
struct Buffers {
  explicit Buffers(const Case& c)
      : x(c.rows * c.columns, c.offset),
        gain(c.columns, c.offset),
        bias(c.columns, c.offset),
        y(c.rows * c.columns, c.offset),
        mean(c.rows, c.offset),
        inverse(c.rows, c.offset),
        dy(c.rows * c.columns, c.offset),
        dx(c.rows * c.columns, c.offset),
        dgain(c.columns, c.offset),
        dbias(c.columns, c.offset) {
    Random random(7, c.rows * 1000 + c.columns);
    fill(x, random, T{3});
    fill(gain, random, T{1});
    fill(bias, random);
    fill(dy, random);
  }

  void run(const Case& c) {
    const NormForward<T> forward{.x = x.data(),
                                 .gain = c.with_gain ? gain.data() : nullptr,
                                 .bias = c.with_bias ? bias.data() : nullptr,
                                 .y = y.data(),
                                 .mean = mean.data(),
                                 .inverse_deviation = inverse.data(),
                                 .rows = c.rows,
                                 .columns = c.columns};
    const NormBackward<T> backward{.x = x.data(),
                                   .gain = c.with_gain ? gain.data() : nullptr,
                                   .mean = mean.data(),
                                   .inverse_deviation = inverse.data(),
                                   .dy = dy.data(),
                                   .dx = dx.data(),
                                   .dgain = c.with_gain ? dgain.data() : nullptr,
                                   .dbias = c.with_bias ? dbias.data() : nullptr,
                                   .rows = c.rows,
                                   .columns = c.columns};
    if (c.kind == Kind::layer) {
      layer_norm(forward);
      layer_norm_backward(backward);
    } else {
      rms_norm(forward);
      rms_norm_backward(backward);
    }
  }

  GuardedBuffer<T> x, gain, bias, y, mean, inverse, dy, dx, dgain, dbias;
};

// The definitions, in double.
template <typename T>
void expect_reference(Buffers<T>& b, const Case& c, double tolerance) {
  const bool layer = c.kind == Kind::layer;
  const std::size_t n = c.columns;
  std::vector<double> dgain(n), dbias(n), dgain_size(n), dbias_size(n);
  for (std::size_t row = 0; row < c.rows; ++row) {
    const auto x = [&](std::size_t i) { return double{b.x[row * n + i]}; };
    const auto gain = [&](std::size_t i) { return c.with_gain ? double{b.gain[i]} : 1.0; };
    double mean = 0, variance = 0;
    for (std::size_t i = 0; layer && i < n; ++i) mean += x(i) / n;
    for (std::size_t i = 0; i < n; ++i) variance += (x(i) - mean) * (x(i) - mean) / n;
    const double inverse = 1 / std::sqrt(variance + static_cast<T>(1e-5));
    if (layer) {
      ASSERT_NEAR(b.mean[row], mean, tolerance * 8);
    }
    ASSERT_NEAR(b.inverse[row] / inverse, 1, tolerance * 100);
    double sum_g = 0, sum_gx = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double g = b.dy[row * n + i] * gain(i);
      const double xhat = (x(i) - mean) * inverse;
      sum_g += layer ? g : 0;
      sum_gx += g * xhat;
      const double y = xhat * gain(i) + (layer && c.with_bias ? double{b.bias[i]} : 0.0);
      ASSERT_NEAR(b.y[row * n + i], y, tolerance * (1 + std::abs(y)) * (1 + 8 * inverse))
          << "row " << row << " column " << i << " of " << n;
      dgain[i] += b.dy[row * n + i] * xhat;
      dbias[i] += b.dy[row * n + i];
      dgain_size[i] += std::abs(b.dy[row * n + i] * xhat) * (1 + 8 * inverse);
      dbias_size[i] += std::abs(b.dy[row * n + i]);
    }
    for (std::size_t i = 0; i < n; ++i) {
      const double g = b.dy[row * n + i] * gain(i);
      const double xhat = (x(i) - mean) * inverse;
      const double dx = inverse * (g - sum_g / n - xhat * sum_gx / n);
      ASSERT_NEAR(b.dx[row * n + i], dx,
                  tolerance * (1 + inverse) * (1 + 8 * inverse) * (8 + std::abs(g)))
          << "row " << row << " column " << i << " of " << n;
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (c.with_gain) {
      ASSERT_NEAR(b.dgain[i], dgain[i], tolerance * (1 + dgain_size[i]));
    }
    if (layer && c.with_bias) {
      ASSERT_NEAR(b.dbias[i], dbias[i], tolerance * (1 + dbias_size[i]));
    }
  }
}

template <typename T>
constexpr double kTolerance = std::is_same_v<T, float> ? 2e-6 : 4e-15;

template <typename T>
class Norms : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(Norms, Scalars);

TYPED_TEST(Norms, EqualTheirDefinitionAtEverySmallSizeAndOffset) {
  on_every_target([] {
    for (const Kind kind : {Kind::layer, Kind::rms}) {
      for (std::size_t rows = 0; rows <= 5; ++rows) {
        for (std::size_t columns = 2; columns <= 67; ++columns) {
          const Case c{.kind = kind,
                       .rows = rows,
                       .columns = columns,
                       .offset = (rows + columns) % 4,
                       .with_gain = rows != 3,
                       .with_bias = rows != 4};
          Buffers<TypeParam> buffers(c);
          buffers.run(c);
          ASSERT_NO_FATAL_FAILURE(expect_reference(buffers, c, kTolerance<TypeParam>));
        }
      }
    }
  });
}

TYPED_TEST(Norms, EqualTheirDefinitionOnManyRowsWhateverTheThreadCount) {
  on_every_target([] {
    for (const int count : {1, 2}) {
      ThreadScope scope(count);
      for (const Kind kind : {Kind::layer, Kind::rms}) {
        for (const std::size_t columns : {96, 1031}) {
          const Case c{.kind = kind, .rows = 70000 / columns, .columns = columns, .offset = 1};
          Buffers<TypeParam> buffers(c);
          buffers.run(c);
          ASSERT_NO_FATAL_FAILURE(expect_reference(buffers, c, kTolerance<TypeParam> * 4));
        }
      }
    }
  });
}

TYPED_TEST(Norms, GiveTheSameBitsTwiceOnTwoThreads) {
  ThreadScope scope(2);
  const Case c{.kind = Kind::layer, .rows = 500, .columns = 257};
  Buffers<TypeParam> first(c), second(c);
  first.run(c);
  second.run(c);
  const std::size_t bytes = c.columns * sizeof(TypeParam);
  EXPECT_EQ(std::memcmp(first.dgain.data(), second.dgain.data(), bytes), 0);
  EXPECT_EQ(std::memcmp(first.dbias.data(), second.dbias.data(), bytes), 0);
  EXPECT_EQ(std::memcmp(first.dx.data(), second.dx.data(), c.rows * bytes), 0);
}

TYPED_TEST(Norms, GiveTheBiasForARowOfOneColumn) {
  on_every_target([] {
    const Case c{.kind = Kind::layer, .rows = 2, .columns = 1};
    Buffers<TypeParam> buffers(c);
    buffers.run(c);
    EXPECT_EQ(buffers.y[0], buffers.bias[0]);
    EXPECT_EQ(buffers.y[1], buffers.bias[0]);
    EXPECT_EQ(buffers.dx[0], 0);
  });
}

TYPED_TEST(Norms, WorkInPlaceAndWithoutStatistics) {
  on_every_target([] {
    const Case c{.kind = Kind::layer, .rows = 3, .columns = 37};
    Buffers<TypeParam> buffers(c);
    buffers.run(c);
    layer_norm<TypeParam>({.x = buffers.x.data(),
                           .gain = buffers.gain.data(),
                           .bias = buffers.bias.data(),
                           .y = buffers.x.data(),
                           .rows = c.rows,
                           .columns = c.columns});
    for (std::size_t i = 0; i < buffers.x.size(); ++i) ASSERT_EQ(buffers.x[i], buffers.y[i]);
  });
}

TYPED_TEST(Norms, DoNotCancelFarFromZero) {
  // 10^4 +- 1: the mean of squares minus the square of the mean has no digits left in float.
  const std::vector<TypeParam> x = {10001, 9999, 10001, 9999, 10001, 9999, 10001, 9999};
  std::vector<TypeParam> y(x.size());
  on_every_target([&] {
    layer_norm<TypeParam>({.x = x.data(), .y = y.data(), .rows = 1, .columns = x.size()});
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(y[i], i % 2 == 0 ? 1 : -1, 1e-5);
  });
}

TYPED_TEST(Norms, LeaveOutGradientsNobodyWants) {
  on_every_target([] {
    const Case c{.kind = Kind::layer, .rows = 4, .columns = 19};
    Buffers<TypeParam> all(c), some(c);
    all.run(c);
    some.run(c);
    NormBackward<TypeParam> backward{.x = some.x.data(),
                                     .gain = some.gain.data(),
                                     .mean = some.mean.data(),
                                     .inverse_deviation = some.inverse.data(),
                                     .dy = some.dy.data(),
                                     .dgain = some.dgain.data(),
                                     .rows = c.rows,
                                     .columns = c.columns};
    std::fill_n(some.dx.data(), some.dx.size(), TypeParam{5});
    std::fill_n(some.dbias.data(), some.dbias.size(), TypeParam{5});
    layer_norm_backward(backward);
    for (std::size_t i = 0; i < c.columns; ++i) EXPECT_EQ(some.dgain[i], all.dgain[i]);
    for (std::size_t i = 0; i < c.columns; ++i) EXPECT_EQ(some.dbias[i], 5);
    for (std::size_t i = 0; i < some.dx.size(); ++i) EXPECT_EQ(some.dx[i], 5);
  });
}

// d(sum of y dy) / d(one value), by a central difference.
double numeric_gradient(Buffers<double>& b, const Case& c, double& value) {
  constexpr double kStep = 1e-6;
  const auto loss = [&] {
    b.run(c);
    double sum = 0;
    for (std::size_t i = 0; i < b.y.size(); ++i) sum += b.y[i] * b.dy[i];
    return sum;
  };
  const double before = value;
  value = before + kStep;
  const double above = loss();
  value = before - kStep;
  const double below = loss();
  value = before;
  return (above - below) / (2 * kStep);
}

TEST(NormGradients, EqualFiniteDifferences) {
  for (const Kind kind : {Kind::layer, Kind::rms}) {
    const Case c{.kind = kind, .rows = 3, .columns = 11};
    Buffers<double> exact(c), probe(c);
    exact.run(c);
    for (std::size_t i = 0; i < exact.x.size(); ++i) {
      EXPECT_NEAR(exact.dx[i], numeric_gradient(probe, c, probe.x[i]), 1e-8);
    }
    for (std::size_t i = 0; i < c.columns; ++i) {
      EXPECT_NEAR(exact.dgain[i], numeric_gradient(probe, c, probe.gain[i]), 1e-8);
      if (kind == Kind::layer) {
        EXPECT_NEAR(exact.dbias[i], numeric_gradient(probe, c, probe.bias[i]), 1e-8);
      }
    }
  }
}

}  // namespace
}  // namespace heed::kernels
