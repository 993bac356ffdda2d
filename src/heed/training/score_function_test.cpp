// SPDX-License-Identifier: Apache-2.0
// Losses of draws: their values and gradients by hand, baselines that do not bias, and exact sums.
#include "heed/training/score_function.h"

#include <gtest/gtest.h>

#include <limits>

#include "heed/attention/normalise.h"
#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/tensor/testing.h"

namespace heed::training {
namespace {

using heed::testing::expect_near;

TEST(ScoreFunction, IsTheAdvantageTimesTheLogProbabilityLessTheBonus) {
  const Variable log_p = Variable::leaf(Tensor::of({2}, {-1, -2}));
  const Variable entropy = Variable::leaf(Tensor::of({2}, {0.5, 0.25}));
  const Variable taught = score_function(Tensor::of({2}, {3, 1}), {log_p, entropy},
                                         {.baseline = Tensor::of({1}, {2}), .bonus = Real(0.1)});
  expect_near(taught.value(), Tensor::of({2}, {Real(-1.05), Real(1.975)}), 1e-6);
  backward(sum(taught));
  expect_near(log_p.gradient(), Tensor::of({2}, {1, -1}), 1e-6);
  expect_near(entropy.gradient(), Tensor::of({2}, {Real(-0.1), Real(-0.1)}), 1e-6);
}

TEST(ScoreFunction, MayDivideByTheDeviationOfTheBatch) {
  const Variable log_p = Variable::leaf(Tensor::of({2}, {-1, -1}));
  const ScoreFunctionOptions options{.baseline = Tensor::of({1}, {5}), .unit_deviation = true};
  const Variable taught = score_function(Tensor::of({2}, {9, 5}), {log_p}, options);
  expect_near(taught.value(), Tensor::of({2}, {-2, 0}), 1e-5);  // the deviation is 2
  const Variable same = score_function(Tensor::of({2}, {5, 5}), {log_p}, options);
  expect_near(same.value(), Tensor::zeros({2}), 1e-5);
}

TEST(ScoreFunction, RefusesOtherSequencesAndABonusOfNothing) {
  const Variable log_p = Variable::leaf(Tensor::of({2}, {-1, -2}));
  EXPECT_THROW(score_function(Tensor::zeros({3}), {log_p}), UsageError);
  EXPECT_THROW(score_function(Tensor::zeros({2}), {}), UsageError);
  EXPECT_THROW(score_function(Tensor::zeros({2}), {log_p}, {.bonus = 1}), UsageError);
  EXPECT_THROW(score_function(Tensor::zeros({2}), {log_p}, {.baseline = Tensor::zeros({3})}),
               UsageError);
  EXPECT_THROW(leave_one_out(Tensor::zeros({2}), {log_p}), UsageError);
  EXPECT_THROW(leave_one_out(Tensor::zeros({1, 2}), {reshape(log_p, {1, 2})}), UsageError);
}

TEST(LeaveOneOut, ComparesEachDrawWithTheMeanOfTheOthers) {
  const Variable log_p = Variable::leaf(Tensor::of({3, 1}, {-1, -2, -3}));
  const Variable taught = leave_one_out(Tensor::of({3, 1}, {6, 3, 0}), {log_p});
  // Advantages 6 - 1.5, 3 - 3, 0 - 4.5; a third of each.
  expect_near(taught.value(), Tensor::of({1}, {3}), 1e-5);
  backward(sum(taught));
  expect_near(log_p.gradient(), Tensor::of({3, 1}, {1.5, 0, -1.5}), 1e-6);
}

TEST(LeaveOneOut, LearnsNothingFromEqualLosses) {
  const Variable log_p = Variable::leaf(Tensor::of({4, 2}, {-1, -2, -3, -4, -5, -6, -7, -8}));
  backward(sum(leave_one_out(Tensor::full({4, 2}, 3), {log_p})));
  expect_near(log_p.gradient(), Tensor::zeros({4, 2}), 1e-7);
}

TEST(RunningMean, StartsAtTheFirstLossesAndForgets) {
  RunningMean mean{.decay = 0.9};
  EXPECT_EQ(mean.baseline().item(), 0);
  mean.update(Tensor::of({2}, {1, 3}));
  EXPECT_NEAR(mean.baseline().item(), 2, 1e-6);
  mean.update(Tensor::of({1}, {4}));
  EXPECT_NEAR(mean.baseline().item(), (0.09 * 2 + 0.1 * 4) / 0.19, 1e-6);
  for (int i = 0; i < 200; ++i) mean.update(Tensor::of({1}, {7}));
  EXPECT_NEAR(mean.baseline().item(), 7, 1e-5);
}

TEST(LearnedBaseline, LearnsTheMeanLossOfItsFeaturesAndLeavesThemAlone) {
  Random random(3);
  LearnedBaseline baseline(2, random);
  const Variable features = Variable::leaf(Tensor::of({2, 2}, {1, 0, 0, 1}));
  const Tensor losses = Tensor::of({2}, {3, -1});
  nn::Parameters parameters = nn::parameters(baseline);
  for (int step = 0; step < 500; ++step) {
    backward(sum(baseline.loss(baseline(features), losses)));
    for (nn::Parameter& parameter : parameters) {
      Variable& variable = parameter.variable;
      const Tensor moved = variable.value() - variable.gradient() * Real(0.2);
      std::ranges::copy(moved.values(), variable.mutable_value().mutable_data());
      variable.clear_gradient();
    }
  }
  expect_near(baseline(features).value(), losses, 1e-3);
  EXPECT_FALSE(features.gradient().defined());
}

// E over all draws of the surrogate's gradient is the gradient of E[l], whatever the baseline.
TEST(ScoreFunction, IsRightOnAverageForAnyBaseline) {
  const Tensor losses = Tensor::of({4}, {1, -2, 0.5, 3});
  const Variable exact = Variable::leaf(Tensor::of({4}, {0.5, -1, 2, 0}));
  backward(sum_over_support(softmax(exact), losses));
  for (const Real b : {Real{0}, Real{1}, Real{-5}}) {
    const Variable scores = Variable::leaf(exact.value());
    const Tensor p = softmax(Variable(scores.value())).value();
    const Variable log_p = log_softmax(scores);
    // The draw of each key by its chance.
    const Variable taught =
        score_function(losses, {log_p}, {.baseline = Tensor::full({1}, b)}) * Variable(p);
    backward(sum(taught));
    expect_near(scores.gradient(), exact.gradient(), 1e-5);
  }
}

TEST(SumOverSupport, ReadsNoLossWhoseChanceIsZero) {
  const Real nan = std::numeric_limits<Real>::quiet_NaN();
  const Variable scores = Variable::leaf(Tensor::of({1, 4}, {2, Real(1.6), -1, 0}));
  const Variable losses = Variable::leaf(Tensor::of({1, 4}, {3, 1, nan, nan}));
  const Variable p = attention::sparsemax(scores);
  expect_near(p.value(), Tensor::of({1, 4}, {Real(0.7), Real(0.3), 0, 0}), 1e-6);
  const Variable mean = sum_over_support(p, losses);
  EXPECT_NEAR(mean.value().item(), 2.4, 1e-5);
  backward(sum(mean));
  // The Jacobian of sparsemax on its support of two: (g - mean g).
  expect_near(scores.gradient(), Tensor::of({1, 4}, {1, -1, 0, 0}), 1e-5);
  expect_near(losses.gradient(), Tensor::of({1, 4}, {Real(0.7), Real(0.3), 0, 0}), 1e-6);
}

TEST(SumOverSupport, HasTheGradientOfFiniteDifferences) {
  const Tensor losses = Tensor::of({5}, {1, -2, 0.5, 3, 2});
  std::vector<Real> x = {Real(0.5), -1, 2, Real(1.6), Real(1.5)};
  const auto value = [&] {
    return sum_over_support(attention::entmax(Tensor::of({5}, x)), losses).value().item();
  };
  const Variable scores = Variable::leaf(Tensor::of({5}, x));
  backward(sum_over_support(attention::entmax(scores), losses));
  for (std::size_t i = 0; i < 5; ++i) {
    const Real before = x[i], step = Real(1e-2);
    x[i] = before + step;
    const double above = value();
    x[i] = before - step;
    const double below = value();
    x[i] = before;
    EXPECT_NEAR(scores.gradient().at({static_cast<std::int64_t>(i)}), (above - below) / (2 * step),
                1e-3);
  }
  EXPECT_THROW(sum_over_support(scores, Variable(Tensor::zeros({4}))), UsageError);
}

}  // namespace
}  // namespace heed::training
