// SPDX-License-Identifier: Apache-2.0
#include "heed/training/optimiser.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "heed/autograd/ops.h"
#include "heed/base/error.h"

namespace heed::training {
namespace {

// A bowl whose bottom is at `goal`.
struct Bowl {
  Variable x = Variable::leaf(Tensor::of({3}, {5, -4, 3}));
  Tensor goal = Tensor::of({3}, {1, 2, -1});

  void visit(nn::ParameterVisitor& visitor) { visitor("x", x); }
  Variable depth() const { return sum(square(x - Variable(goal))); }
};

double distance_after(const Method& method, double rate, int steps) {
  Bowl bowl;
  Optimiser optimiser(nn::parameters(bowl), method);
  for (int i = 0; i < steps; ++i) {
    backward(bowl.depth());
    optimiser.step({.learning_rate = rate});
  }
  return std::sqrt(bowl.depth().item());
}

TEST(Optimiser, EveryMethodReachesTheBottomOfABowl) {
  EXPECT_LT(distance_after(Adam{}, 0.1, 500), 1e-2);
  EXPECT_LT(distance_after(Adam{.decoupled = false}, 0.1, 500), 1e-2);
  EXPECT_LT(distance_after(Sgd{}, 0.1, 100), 1e-2);
  EXPECT_LT(distance_after(Sgd{.momentum = 0.9, .nesterov = true}, 0.01, 500), 1e-2);
  EXPECT_LT(distance_after(RmsProp{}, 0.01, 1500), 5e-2);
  EXPECT_LT(distance_after(RmsProp{.momentum = 0.5, .centred = true}, 0.001, 5000), 5e-2);
  EXPECT_LT(distance_after(Adagrad{}, 1, 500), 1e-2);
}

TEST(Optimiser, ClipsTheGlobalNormAndReportsItUnclipped) {
  Bowl bowl;
  Optimiser optimiser(nn::parameters(bowl), Sgd{});
  backward(bowl.depth());
  const double expected = std::sqrt(64.0 + 144 + 64);  // 2 (x - goal)
  const std::vector<Real> before = bowl.x.value().values();
  EXPECT_NEAR(optimiser.step({.learning_rate = 1, .clip_norm = 0.5}), expected, 1e-4);
  double moved = 0;
  for (std::size_t i = 0; i < 3; ++i) moved += std::pow(bowl.x.value().values()[i] - before[i], 2);
  EXPECT_NEAR(std::sqrt(moved), 0.5, 1e-5);
}

TEST(Optimiser, ScalesGradientsAddedOverBatches) {
  Bowl one;
  Bowl two;
  Optimiser first(nn::parameters(one), Sgd{});
  Optimiser second(nn::parameters(two), Sgd{});
  backward(one.depth());
  first.step({.learning_rate = 0.1});
  for (int batch = 0; batch < 4; ++batch) backward(two.depth());
  second.step({.learning_rate = 0.1, .gradient_scale = 0.25});
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(one.x.value().values()[i], two.x.value().values()[i], 1e-6);
  }
}

TEST(Optimiser, LeavesTheParametersAloneWhenTheNormIsNotFinite) {
  Bowl bowl;
  Optimiser optimiser(nn::parameters(bowl), Adam{});
  const std::vector<Real> before = bowl.x.value().values();
  backward(bowl.depth() * std::numeric_limits<Real>::quiet_NaN());
  EXPECT_TRUE(std::isnan(optimiser.step({.learning_rate = 1})));
  EXPECT_EQ(bowl.x.value().values(), before);
  EXPECT_EQ(optimiser.steps(), 0);
  EXPECT_FALSE(bowl.x.gradient().defined());
}

TEST(Optimiser, GoesOnToTheSameBitsFromItsSavedState) {
  for (const Method& method :
       {Method(Adam{.weight_decay = 0.1}), Method(Sgd{.momentum = 0.9}),
        Method(RmsProp{.momentum = 0.5, .centred = true}), Method(Adagrad{})}) {
    Bowl through;
    Optimiser whole(nn::parameters(through), method);
    Bowl stopped;
    Optimiser before(nn::parameters(stopped), method);
    const auto run = [](Bowl& bowl, Optimiser& optimiser, int steps) {
      for (int i = 0; i < steps; ++i) {
        backward(bowl.depth());
        optimiser.step({.learning_rate = 0.05});
      }
    };
    run(through, whole, 10);
    run(stopped, before, 4);
    Bowl resumed;
    resumed.x.mutable_value().assign(stopped.x.value());
    Optimiser after(nn::parameters(resumed), method);
    after.restore(before.state(), before.steps());
    run(resumed, after, 6);
    EXPECT_EQ(resumed.x.value().values(), through.x.value().values());
  }
}

TEST(Optimiser, RefusesForeignStateAndOptionsOutOfRange) {
  Bowl bowl;
  Optimiser adam(nn::parameters(bowl), Adam{});
  EXPECT_THROW(adam.restore({}, 1), DataError);
  auto state = adam.state();
  state["x/mean"] = Tensor::zeros({2});
  EXPECT_THROW(adam.restore(state, 1), DataError);
  state = adam.state();
  state["y/mean"] = Tensor::zeros({2});
  EXPECT_THROW(adam.restore(state, 1), DataError);
  EXPECT_THROW(Optimiser(nn::parameters(bowl), Adam{.beta1 = 1}), UsageError);
  EXPECT_THROW(Optimiser(nn::parameters(bowl), Sgd{.nesterov = true}), UsageError);
  EXPECT_THROW(Optimiser(nn::parameters(bowl), Adagrad{.epsilon = 0}), UsageError);
}

}  // namespace
}  // namespace heed::training
