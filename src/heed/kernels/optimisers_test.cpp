// SPDX-License-Identifier: Apache-2.0
// Optimiser steps against their formulas in double, with every option on and off.
#include "heed/kernels/optimisers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <type_traits>
#include <vector>

#include "heed/base/random.h"
#include "heed/base/threads.h"
#include "heed/kernels/testing.h"

namespace heed::kernels {
namespace {

constexpr double kRate = 0.01;
constexpr double kScale = 0.5;
constexpr int kSteps = 3;

// One parameter with its state, as the reference sees it.
struct Cell {
  double p;
  double first = 0;
  double second = 0;
  double third = 0;
};

// Applies step t of the rule to one cell and its scaled gradient.
using Reference = std::function<void(Cell&, double gradient, int step)>;

template <typename T>
struct Arrays {
  Arrays(std::size_t n, std::size_t offset)
      : p(n, offset), g(n, offset), first(n, offset), second(n, offset), third(n, offset) {
    Random random(n);
    for (std::size_t i = 0; i < n; ++i) {
      p[i] = 2 * random.uniform<T>() - 1;
      first[i] = second[i] = third[i] = 0;
    }
  }
  ParameterUpdate<T> update() { return {p.data(), g.data(), p.size(), kScale, kRate}; }
  GuardedBuffer<T> p, g, first, second, third;
};

// Runs a few steps of `step` beside the reference at one size.
template <typename T, typename Step>
void expect_steps(std::size_t n, std::size_t offset, const Step& step, const Reference& reference) {
  const double tolerance = std::is_same_v<T, float> ? 3e-6 : 1e-14;
  Arrays<T> arrays(n, offset);
  std::vector<Cell> cells;
  for (std::size_t i = 0; i < n; ++i) cells.push_back({.p = arrays.p[i]});
  Random random(n, 1);
  for (int t = 1; t <= kSteps; ++t) {
    for (std::size_t i = 0; i < n; ++i) {
      arrays.g[i] = 2 * random.uniform<T>() - 1;
      reference(cells[i], kScale * arrays.g[i], t);
    }
    step(arrays, t);
  }
  for (std::size_t i = 0; i < n; ++i) {
    ASSERT_NEAR(arrays.p[i], cells[i].p, tolerance) << "parameter " << i << " of " << n;
    ASSERT_NEAR(arrays.first[i], cells[i].first, tolerance) << "state of " << i << " of " << n;
    ASSERT_NEAR(arrays.second[i], cells[i].second, tolerance) << "state of " << i << " of " << n;
    ASSERT_NEAR(arrays.third[i], cells[i].third, tolerance) << "state of " << i << " of " << n;
  }
}

template <typename T, typename Step>
void expect_rule(const Step& step, const Reference& reference) {
  on_every_target([&] {
    for (std::size_t n = 0; n <= 67; ++n) {
      ASSERT_NO_FATAL_FAILURE(expect_steps<T>(n, n % 4, step, reference));
    }
    ThreadScope scope(2);
    ASSERT_NO_FATAL_FAILURE(expect_steps<T>(66001, 3, step, reference));
  });
}

template <typename T>
class Optimisers : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(Optimisers, Scalars);

TYPED_TEST(Optimisers, AdamFollowsItsFormula) {
  for (const bool decoupled : {true, false}) {
    const double decay = 0.1;
    expect_rule<TypeParam>(
        [=](Arrays<TypeParam>& a, int t) {
          adam<TypeParam>(a.update(), {.mean = a.first.data(), .square = a.second.data()},
                          {.step = t, .weight_decay = decay, .decoupled = decoupled});
        },
        [=](Cell& c, double g, int t) {
          if (decoupled) {
            c.p *= 1 - kRate * decay;
          } else {
            g += decay * c.p;
          }
          c.first = 0.9 * c.first + 0.1 * g;
          c.second = 0.999 * c.second + 0.001 * g * g;
          const double m = c.first / (1 - std::pow(0.9, t));
          const double v = c.second / (1 - std::pow(0.999, t));
          c.p -= kRate * m / (std::sqrt(v) + 1e-8);
        });
  }
}

TYPED_TEST(Optimisers, SgdFollowsItsFormula) {
  expect_rule<TypeParam>(
      [](Arrays<TypeParam>& a, int) { sgd<TypeParam>(a.update(), nullptr, {.weight_decay = 0.1}); },
      [](Cell& c, double g, int) { c.p -= kRate * (g + 0.1 * c.p); });
}

TYPED_TEST(Optimisers, SgdWithMomentumFollowsItsFormula) {
  for (const bool nesterov : {true, false}) {
    expect_rule<TypeParam>(
        [=](Arrays<TypeParam>& a, int) {
          sgd<TypeParam>(a.update(), a.first.data(),
                         {.momentum = 0.9, .weight_decay = 0.1, .nesterov = nesterov});
        },
        [=](Cell& c, double g, int) {
          g += 0.1 * c.p;
          c.first = 0.9 * c.first + g;
          c.p -= kRate * (nesterov ? g + 0.9 * c.first : c.first);
        });
  }
}

TYPED_TEST(Optimisers, RmspropFollowsItsFormula) {
  for (const bool centred : {true, false}) {
    for (const bool momentum : {true, false}) {
      // The epsilon keeps s = g / deviation from magnifying rounding where v - m^2 is near 0.
      expect_rule<TypeParam>(
          [=](Arrays<TypeParam>& a, int) {
            rmsprop<TypeParam>(a.update(),
                               {.square = a.first.data(),
                                .mean = centred ? a.second.data() : nullptr,
                                .velocity = momentum ? a.third.data() : nullptr},
                               {.epsilon = 0.1, .momentum = 0.9, .weight_decay = 0.1});
          },
          [=](Cell& c, double g, int) {
            g += 0.1 * c.p;
            c.first = 0.99 * c.first + 0.01 * g * g;
            if (centred) c.second = 0.99 * c.second + 0.01 * g;
            const double s = g / (std::sqrt(c.first - c.second * c.second) + 0.1);
            if (momentum) c.third = 0.9 * c.third + s;
            c.p -= kRate * (momentum ? c.third : s);
          });
    }
  }
}

TYPED_TEST(Optimisers, AdagradFollowsItsFormula) {
  expect_rule<TypeParam>(
      [](Arrays<TypeParam>& a, int) {
        adagrad<TypeParam>(a.update(), a.first.data(), {.weight_decay = 0.1});
      },
      [](Cell& c, double g, int) {
        g += 0.1 * c.p;
        c.first += g * g;
        c.p -= kRate * g / (std::sqrt(c.first) + 1e-10);
      });
}

TYPED_TEST(Optimisers, AdadeltaFollowsItsFormula) {
  // The epsilon keeps the first steps, of sqrt(epsilon), from vanishing beside the parameters.
  expect_rule<TypeParam>(
      [](Arrays<TypeParam>& a, int) {
        adadelta<TypeParam>(a.update(), {.square = a.first.data(), .change = a.second.data()},
                            {.epsilon = 0.01, .weight_decay = 0.1});
      },
      [](Cell& c, double g, int) {
        g += 0.1 * c.p;
        c.first = 0.9 * c.first + 0.1 * g * g;
        const double s = g * std::sqrt(c.second + 0.01) / std::sqrt(c.first + 0.01);
        c.second = 0.9 * c.second + 0.1 * s * s;
        c.p -= kRate * s;
      });
}

TYPED_TEST(Optimisers, StandStillOnAZeroGradientWithoutDecay) {
  on_every_target([] {
    Arrays<TypeParam> a(5, 0);
    for (std::size_t i = 0; i < 5; ++i) a.g[i] = 0;
    const std::vector<TypeParam> before(a.p.data(), a.p.data() + 5);
    adam<TypeParam>(a.update(), {.mean = a.first.data(), .square = a.second.data()}, {});
    adagrad<TypeParam>(a.update(), a.first.data(), {});
    rmsprop<TypeParam>(a.update(), {.square = a.first.data(), .mean = a.second.data()}, {});
    adadelta<TypeParam>(a.update(), {.square = a.first.data(), .change = a.second.data()}, {});
    EXPECT_EQ(std::vector<TypeParam>(a.p.data(), a.p.data() + 5), before);
  });
}

TEST(ClipScale, BringsALongGradientToTheLimitAndLeavesAShortOne) {
  EXPECT_EQ(clip_scale(4, 1), 0.25);
  EXPECT_EQ(clip_scale(1, 1), 1);
  EXPECT_EQ(clip_scale(0.5, 1), 1);
  EXPECT_EQ(clip_scale(0, 1), 1);
}

}  // namespace
}  // namespace heed::kernels
