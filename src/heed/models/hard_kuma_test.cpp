// SPDX-License-Identifier: Apache-2.0
// HardKuma gates: golden values, and draws that come out as their chances say.
#include "heed/models/hard_kuma.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/attention/testing.h"
#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/base/testing.h"

namespace heed::models {
namespace {

TEST(HardKuma, AgreesWithTheGoldenValues) {
  for (const nlohmann::json& expected : attention::structured_golden().at("hardkuma").at("cases")) {
    const KumaGate gate{expected.at("a"), expected.at("b")};
    SCOPED_TRACE(fmt::format("a {}, b {}", gate.a, gate.b));
    EXPECT_NEAR(gate.zero().z, expected.at("P0"), 1e-12);
    EXPECT_NEAR(gate.one(), expected.at("P1"), 1e-12);
    EXPECT_NEAR(gate.zero().da, expected.at("dP0_da"), 1e-12);
    EXPECT_NEAR(gate.zero().db, expected.at("dP0_db"), 1e-12);
    EXPECT_NEAR(gate.mean(), expected.at("mean"), 1e-6);
    for (const nlohmann::json& one : expected.at("draws")) {
      const KumaGate::Draw drawn = gate.draw(one.at("u"));
      EXPECT_NEAR(drawn.z, one.at("z"), 1e-12) << one;
      EXPECT_NEAR(drawn.da, one.at("dz_da"), 1e-12) << one;
      EXPECT_NEAR(drawn.db, one.at("dz_db"), 1e-12) << one;
    }
  }
}

TEST(HardKuma, IsZeroAndOneAsOftenAsItsChancesSay) {
  const KumaGate gate{.a = .4, .b = .8};
  Random random(7);
  constexpr int kDraws = 20'000;
  double zeros = 0, ones = 0, sum = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double z = gate.draw(random.uniform<double>()).z;
    zeros += z == 0 ? 1 : 0;
    ones += z == 1 ? 1 : 0;
    sum += z;
  }
  // Five standard errors of a share.
  const double tolerance = 5 * std::sqrt(.25 / kDraws);
  EXPECT_NEAR(zeros / kDraws, gate.zero().z, tolerance);
  EXPECT_NEAR(ones / kDraws, gate.one(), tolerance);
  EXPECT_NEAR(sum / kDraws, gate.mean(), tolerance);
}

TEST(HardKuma, TakesTheLikeliestWhereNothingIsDrawn) {
  EXPECT_EQ((KumaGate{.1, 5}.likeliest()), 0);
  EXPECT_EQ((KumaGate{5, .1}.likeliest()), 1);
  const KumaGate between{2, 2};
  EXPECT_EQ(between.likeliest(), between.mean());
  // Where most of it is 0, the mean of the clipped gate is not that of Kumaraswamy's variable.
  EXPECT_NEAR((KumaGate{.1, 1}.mean()), .0796, 1e-4);
}

TEST(HardKuma, StaysFiniteAtTheEndsOfItsShapes) {
  const Variable a = Variable::leaf(Tensor::of({4}, {0, 1000, Real(1e-6), 100}));
  const Variable b = Variable::leaf(Tensor::of({4}, {1000, 0, 100, Real(1e-6)}));
  const Variable z = hard_kuma({a, b}, Tensor::of({4}, {0, 1, Real(.5), Real(.5)}));
  backward(sum(z) + sum(chance_of_zero({a, b})));
  for (const Tensor& x : {z.value(), a.gradient(), b.gradient(), likeliest({a, b})}) {
    for (const Real one : x.values()) EXPECT_TRUE(std::isfinite(one)) << one;
  }
  EXPECT_EQ(a.gradient().at({0}), 0) << "a shape below its bound is at it";
}

TEST(HardKuma, RefusesShapesOfOtherGates) {
  const Variable two(Tensor::of({2}, {1, 1})), three(Tensor::of({3}, {1, 1, 1}));
  EXPECT_THROW(chance_of_zero({two, three}), UsageError);
  EXPECT_THROW(likeliest({two, three}), UsageError);
  EXPECT_TRUE(test::message_of<UsageError>([&] {
                hard_kuma({two, two}, three.value());
              }).starts_with("hard_kuma: uniform numbers [3] for gates [2]"));
}

}  // namespace
}  // namespace heed::models
