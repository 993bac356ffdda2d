// SPDX-License-Identifier: Apache-2.0
// Values and refusals of the ops; their gradients are in gradcheck_test.cpp.
#include "heed/autograd/ops.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "heed/tensor/arithmetic.h"
#include "heed/tensor/testing.h"

namespace heed {
namespace {

using testing::counting;
using testing::expect_near;
using testing::message_of;
using testing::wavy;

TEST(Softmax, SumsToOneAlongTheChosenAxis) {
  const Tensor x = wavy({3, 4, 5});
  for (int axis : {0, 1, 2, -1}) {
    const Tensor total = sum(softmax(Variable(x), axis).value(), axis);
    expect_near(total, Tensor::full(total.shape(), 1), 1e-6);
  }
  EXPECT_THROW(softmax(Variable(x), 3), UsageError);
}

TEST(CrossEntropy, GivesTheLogLossOfTheTarget) {
  const Tensor logits = Tensor::of({2, 3}, {0, 0, 0, 1, 2, 3});
  const double second = -std::log(std::exp(2.0) / (std::exp(1.0) + std::exp(2.0) + std::exp(3.0)));
  EXPECT_NEAR(cross_entropy(logits, Ids::of({2}, {0, 1})).item(), (std::log(3.0) + second) / 2,
              1e-6);
  EXPECT_NEAR(cross_entropy(logits, Ids::of({2}, {-7, 1}), {.ignored = -7}).item(), second, 1e-6);
}

TEST(CrossEntropy, IsZeroWhenEveryTargetIsIgnored) {
  const Variable logits = Variable::leaf(wavy({2, 3}));
  const Variable loss = cross_entropy(logits, Ids::of({2}, {9, 9}), {.ignored = 9});
  EXPECT_EQ(loss.item(), 0);
  backward(loss);
  EXPECT_EQ(logits.gradient().values(), std::vector<Real>(6, 0));
}

TEST(CrossEntropy, SmoothingMixesInTheUniformDistribution) {
  const Tensor logits = wavy({1, 4});
  const Tensor p = log_softmax(Variable(logits)).value();
  const double uniform = -sum(p).item() / 4;
  const double plain = -p.at({0, 2});
  EXPECT_NEAR(cross_entropy(logits, Ids::of({1}, {2}), {.smoothing = Real(0.2)}).item(),
              0.8 * plain + 0.2 * uniform, 1e-6);
}

TEST(CrossEntropy, WritesItsGradientOverLogitsOnlyWhereNobodySeesThem) {
  const Variable x = Variable::leaf(wavy({2, 3}));
  const Ids targets = Ids::of({2}, {2, 0});
  const auto gradient_of = [&](const Variable& loss, const BackwardOptions& options = {}) {
    Variable(x).clear_gradient();
    backward(loss, {}, options);
    return x.gradient().values();
  };
  const std::vector<Real> expected = gradient_of(cross_entropy(x, targets));  // the leaf is seen
  EXPECT_EQ(gradient_of(cross_entropy(x * Real{1}, targets)), expected);      // nothing sees these
  const Variable seen = x * Real{1};
  EXPECT_EQ(gradient_of(cross_entropy(seen, targets)), expected);
  EXPECT_EQ(seen.value().values(), x.value().values());
  const Variable loss = cross_entropy(x * Real{1}, targets);
  EXPECT_EQ(gradient_of(loss, {.keep_graph = true}), expected);
  EXPECT_EQ(gradient_of(loss), expected);
}

TEST(CrossEntropy, RefusesBadTargetsAndShapes) {
  const Tensor logits = wavy({2, 3});
  EXPECT_NE(message_of([&] {
              cross_entropy(logits, Ids::of({2}, {0, 3}));
            }).find("id 3 at position 1"),
            std::string::npos);
  EXPECT_THROW(cross_entropy(logits, Ids::of({3}, {0, 1, 2})), UsageError);
  EXPECT_THROW(cross_entropy(logits, Ids::of({2}, {0, 1}), {.smoothing = 2}), UsageError);
}

TEST(LogCopyMixture, SharesOutBetweenTheVocabularyAndTheSource) {
  // Both halves weigh the same; the vocabulary is even; word 1 is in the source twice, word 3
  // only there.
  const Variable y = log_copy_mixture(Tensor::zeros({1, 2}), Tensor::zeros({1}),
                                      Tensor::of({1, 4}, {.2, .5, .3, 0}),
                                      {Ids::of({1, 4}, {1, 3, 1, -1}), Ids::of({1}, {0}), 4});
  EXPECT_NEAR(std::exp(y.value().at({0, 0})), .25, 1e-6);
  EXPECT_NEAR(std::exp(y.value().at({0, 1})), .25 + .25, 1e-6);
  EXPECT_EQ(std::exp(y.value().at({0, 2})), 0);  // in neither
  EXPECT_NEAR(std::exp(y.value().at({0, 3})), .25, 1e-6);
}

TEST(LogCopyMixture, SumsToOneHoweverSureTheGateIs) {
  for (const Real gate : {Real(-90), Real(-3), Real(0), Real(90)}) {
    const Variable y = log_copy_mixture(Tensor::of({1, 3}, {4, -2, 60}), Tensor::of({1}, {gate}),
                                        Tensor::of({1, 2}, {.9, .1}),
                                        {Ids::of({1, 2}, {2, 3}), Ids::of({1}, {0}), 4});
    EXPECT_NEAR(sum(exp(y)).item(), 1, 1e-6) << gate;
    for (const Real value : y.value().values()) EXPECT_FALSE(std::isnan(value)) << gate;
  }
}

TEST(LogCopyMixture, MakesAWordNotLookedAtCostlyNotImpossible) {
  const Variable y =
      log_copy_mixture(Tensor::zeros({1, 1}), Tensor::zeros({1}), Tensor::of({1, 2}, {1, 0}),
                       {Ids::of({1, 2}, {1, 2}), Ids::of({1}, {0}), 3});
  EXPECT_NEAR(y.value().at({0, 2}), std::log(.5e-9), 1e-3);
}

TEST(LogCopyMixture, RefusesShapesAndTokensThatDoNotFit) {
  const Ids tokens = Ids::of({1, 2}, {0, 5});
  EXPECT_THROW(log_copy_mixture(Tensor::zeros({1, 3}), Tensor::zeros({1}), Tensor::zeros({1, 3}),
                                {tokens, Ids::of({1}, {0}), 6}),
               UsageError);
  EXPECT_THROW(log_copy_mixture(Tensor::zeros({1, 3}), Tensor::zeros({1}), Tensor::zeros({1, 2}),
                                {tokens, Ids::of({1}, {0}), 5}),
               UsageError);
}

TEST(Embedding, ReadsRowsAndZerosForPadding) {
  const Variable table(counting({3, 2}));
  EXPECT_EQ(embedding(table, Ids::of({1, 3}, {2, -1, 0})).value().values(),
            (std::vector<Real>{4, 5, 0, 0, 0, 1}));
  EXPECT_THROW(embedding(table, Ids::of({1}, {3})), UsageError);
}

TEST(Dropout, KeepsTheMeanAndRepeatsItsMask) {
  const Variable ones(Tensor::full({100000}, 1));
  const DropoutMask mask{.probability = Real(0.3), .seed = 5, .stream = 1};
  const Tensor y = dropout(ones, mask).value();
  EXPECT_NEAR(mean(Variable(y)).item(), 1, 0.01);
  expect_near(dropout(ones, mask).value(), y, 0);
  const Tensor other = dropout(ones, {.probability = Real(0.3), .seed = 5, .stream = 2}).value();
  EXPECT_GT(sum(Variable(binary(kernels::Binary::less, y, other, "test"))).item(), 1000);
  EXPECT_THROW(dropout(ones, {.probability = 1}), UsageError);
}

TEST(LockedDropout, UsesOneMaskForAllSteps) {
  const Tensor y = locked_dropout(Variable(Tensor::full({4, 3, 50}, 1)),
                                  {.probability = Real(0.5), .seed = 5, .stream = 1})
                       .value();
  for (std::int64_t step = 1; step < 4; ++step) expect_near(y.select(0, step), y.select(0, 0), 0);
}

TEST(Convolution, MovesAWindowOverTheSequence) {
  const Variable x(Tensor::of({1, 1, 5}, {1, 2, 3, 4, 5}));
  const Variable w(Tensor::of({1, 1, 2}, {1, 10}));
  EXPECT_EQ(convolution_1d(x, w, {}).value().values(), (std::vector<Real>{21, 32, 43, 54}));
  EXPECT_EQ(convolution_1d(x, w, {}, {.dilation = 3}).value().values(),
            (std::vector<Real>{41, 52}));
  EXPECT_EQ(convolution_1d(x, w, {}, {.stride = 2, .padding = 1}).value().values(),
            (std::vector<Real>{10, 32, 54}));
  EXPECT_EQ(convolution_1d(x, w, Variable(Tensor::of({1}, {100}))).value().values(),
            (std::vector<Real>{121, 132, 143, 154}));
}

TEST(Convolution, SaysWhenTheWindowDoesNotFit) {
  const Variable x(wavy({1, 2, 3}));
  const std::string message = message_of([&] { convolution_1d(x, Variable(wavy({1, 2, 4})), {}); });
  EXPECT_NE(message.find("does not fit"), std::string::npos) << message;
  EXPECT_THROW(convolution_1d(x, Variable(wavy({1, 3, 2})), {}), UsageError);
  EXPECT_THROW(convolution_1d(x, Variable(wavy({1, 2, 2})), {}, {.stride = 0}), UsageError);
  EXPECT_THROW(pool_1d(Pooling::maximum, x, 0, {}), UsageError);
}

TEST(Pool, TakesMaximaAndMeans) {
  const Variable x(Tensor::of({1, 1, 4}, {1, 5, 2, 4}));
  EXPECT_EQ(pool_1d(Pooling::maximum, x, 2, {.stride = 2}).value().values(),
            (std::vector<Real>{5, 4}));
  EXPECT_EQ(pool_1d(Pooling::average, x, 2, {.stride = 2}).value().values(),
            (std::vector<Real>{3, 3}));
  const Variable image(counting({1, 1, 4, 4}));
  EXPECT_EQ(pool_2d(Pooling::maximum, image, 2, {.stride = 2}).value().values(),
            (std::vector<Real>{5, 7, 13, 15}));
}

TEST(Recurrent, FollowsTheEquationsOfATanhCell) {
  // h_t = tanh(w_x x_t + w_h h_{t-1} + b), by hand for one unit.
  const RecurrentWeights weights{Variable(Tensor::of({1, 1}, {Real(0.5)})),
                                 Variable(Tensor::of({1, 1}, {Real(-0.3)})),
                                 Variable(Tensor::of({1}, {Real(0.1)})),
                                 {}};
  const Variable x(Tensor::of({3, 1, 1}, {1, 2, 3}));
  const RecurrentResult result = recurrent(kernels::Cell::tanh, x, weights);
  double h = 0;
  for (int t = 0; t < 3; ++t) {
    h = std::tanh(0.5 * (t + 1) - 0.3 * h + 0.1);
    EXPECT_NEAR(result.outputs.value().at({t, 0, 0}), h, 1e-6);
  }
  EXPECT_NEAR(result.final.h.item(), h, 1e-6);
}

TEST(Recurrent, RefusesMisshapenInput) {
  const RecurrentWeights weights{Variable(wavy({8, 3})), Variable(wavy({8, 2})), {}, {}};
  const Variable x(wavy({4, 5, 3}));
  using kernels::Cell;
  EXPECT_NO_THROW(recurrent(Cell::lstm, x, weights));
  EXPECT_THROW(recurrent(Cell::gru, x, weights), UsageError);
  EXPECT_THROW(recurrent(Cell::lstm, Variable(wavy({4, 5, 2})), weights), UsageError);
  EXPECT_THROW(recurrent(Cell::lstm, x, weights, {Variable(wavy({4, 2})), {}}), UsageError);
  EXPECT_THROW(recurrent(Cell::lstm, x, weights, {}, {.lengths = Ids::of({5}, {1, 2, 3, 4, 5})}),
               UsageError);
}

TEST(StraightThrough, HasTheHardValueAndTheSoftGradient) {
  const Variable x = Variable::leaf(Tensor::of({2}, {Real(0.2), Real(0.8)}));
  const Variable y = straight_through(Tensor::of({2}, {0, 1}), x * Real(3));
  EXPECT_EQ(y.value().values(), (std::vector<Real>{0, 1}));
  backward(sum(y));
  EXPECT_EQ(x.gradient().values(), (std::vector<Real>{3, 3}));
  EXPECT_THROW(straight_through(Tensor::zeros({3}), x), UsageError);
}

TEST(StopGradient, LetsNothingThrough) {
  const Variable x = Variable::leaf(Tensor::of({2}, {1, 2}));
  backward(sum(stop_gradient(x) * x));
  EXPECT_EQ(x.gradient().values(), (std::vector<Real>{1, 2}));
}

TEST(Split, RefusesSizesThatDoNotAddUp) {
  const Variable x(counting({2, 5}));
  EXPECT_NE(message_of([&] { split(x, 1, {2, 2}); }).find("add up to 5"), std::string::npos);
  EXPECT_THROW(split(x, 1, {2, 4}), UsageError);
  EXPECT_THROW(split(x, 1, {6, -1}), UsageError);
}

TEST(Clamp, PassesTheGradientUpToItsEnds) {
  const Variable x = Variable::leaf(Tensor::of({5}, {-2, -1, 0, 1, 2}));
  backward(sum(clamp(x, -1, 1)));
  EXPECT_EQ(x.gradient().values(), (std::vector<Real>{0, 1, 1, 1, 0}));
}

TEST(Extremes, GiveTheGradientOfATieToTheFirst) {
  for (const auto& op : {+[](const Variable&a, const Variable&b) { return maximum(a, b); },
                         +[](const Variable&a, const Variable&b) { return minimum(a, b); }}) {
    const Variable a = Variable::leaf(Tensor::of({2}, {3, 3}));
    const Variable b = Variable::leaf(Tensor::of({2}, {3, 3}));
    backward(sum(op(a, b)));
    EXPECT_EQ(a.gradient().values(), (std::vector<Real>{1, 1}));
    EXPECT_EQ(b.gradient().values(), (std::vector<Real>{0, 0}));
  }
}

TEST(Mean, DividesByWhatItAddsUp) {
  const Variable x(Tensor::of({2, 3}, {1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(mean(x).item(), Real(3.5));
  EXPECT_EQ(mean(x, 0).value().values(), (std::vector<Real>{2.5, 3.5, 4.5}));
  EXPECT_EQ(mean(x, 1).value().values(), (std::vector<Real>{2, 5}));
}

TEST(Shared, AddsProductsThatCannotBeSetSideBySide) {
  const Tensor w = wavy({2, 3, 4});
  const Variable a(wavy({1, 5, 3})), b(wavy({2, 6, 3}));  // the first is one for both matrices
  const auto gradient = [&](bool together) {
    const Variable leaf = Variable::leaf(w);
    const Variable weight = together ? shared(leaf) : leaf;
    backward(sum(matmul(a, weight)) + sum(matmul(b, weight)));
    return leaf.gradient();
  };
  expect_near(gradient(true), gradient(false), 1e-5);
}

TEST(Where, DoesNotLeakNanFromTheSideNotTaken) {
  const Variable a = Variable::leaf(Tensor::of({2}, {1, std::numeric_limits<Real>::quiet_NaN()}));
  const Variable y = sum(where(Tensor::of({2}, {1, 0}), a * Real(2), Variable(Tensor::scalar(5))));
  EXPECT_EQ(y.item(), 7);
  backward(y);
  EXPECT_EQ(a.gradient().values(), (std::vector<Real>{2, 0}));
}

}  // namespace
}  // namespace heed
