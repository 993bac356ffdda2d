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
  EXPECT_LT(distance_after(Adadelta{.epsilon = 1e-3}, 1, 1500), 5e-2);
}

// Rows of torch.optim.Adadelta's documented rule, worked out by hand: the first step is
// sqrt(epsilon) / sqrt(0.1 g^2 + epsilon) g.
TEST(Optimiser, AdadeltaTakesItsFirstStepFromItsEpsilon) {
  Bowl bowl;
  Optimiser optimiser(nn::parameters(bowl), Adadelta{});
  backward(bowl.depth());  // gradients 8, -12, 8
  optimiser.step({.learning_rate = 1});
  const double step = 1e-3 / std::sqrt(0.1 * 64 + 1e-6) * 8;
  EXPECT_NEAR(bowl.x.value().at({0}), 5 - step, 1e-6);
  EXPECT_NEAR(optimiser.state().at("x/square").at({0}), 6.4, 1e-5);
  EXPECT_NEAR(optimiser.state().at("x/change").at({0}), 0.1 * step * step, 1e-9);
}

// A weight and a bias that nothing is asked of but their decay.
struct Line {
  Variable weight = Variable::leaf(Tensor::full({2, 2}, 4));
  Variable bias = Variable::leaf(Tensor::full({2}, 4));
  void visit(nn::ParameterVisitor& visitor) {
    visitor("weight", weight);
    visitor("bias", bias);
  }
};

TEST(Optimiser, GivesGroupsTheirOwnDecayAndRate) {
  Line line;
  const std::vector<ParameterGroup> groups = {
      undecayed_vectors(), {.members = [](const nn::Parameter&) { return true; }, .rate = 0.5}};
  Optimiser optimiser(nn::parameters(line), Sgd{.weight_decay = 0.1}, groups);
  backward(sum(line.weight) + sum(line.bias));
  optimiser.step({.learning_rate = 1});
  EXPECT_NEAR(line.weight.value().at({0, 0}), 4 - 0.5 * (1 + 0.1 * 4), 1e-6);
  EXPECT_NEAR(line.bias.value().at({0}), 4 - 1, 1e-6);
}

TEST(Optimiser, RefusesAGroupWithoutMembersOrWithANegativeRate) {
  Line line;
  const auto all = [](const nn::Parameter&) { return true; };
  EXPECT_THROW(Optimiser(nn::parameters(line), Sgd{}, {ParameterGroup{}}), UsageError);
  EXPECT_THROW(Optimiser(nn::parameters(line), Sgd{}, {{.members = all, .rate = -1}}), UsageError);
  EXPECT_THROW(Optimiser(nn::parameters(line), Sgd{}, {{.members = all, .weight_decay = -1}}),
               UsageError);
}

TEST(ClipGradientNorm, ScalesGradientsThatAreTooLong) {
  Line line;
  const nn::Parameters parameters = nn::parameters(line);
  backward(sum(line.weight) + sum(line.bias));  // six ones
  EXPECT_NEAR(clip_gradient_norm(parameters, 10), std::sqrt(6.0), 1e-6);
  EXPECT_EQ(line.bias.gradient().values(), (std::vector<Real>{1, 1}));
  EXPECT_NEAR(clip_gradient_norm(parameters, 0.5), std::sqrt(6.0), 1e-6);
  EXPECT_NEAR(gradient_norm(parameters), 0.5, 1e-6);
  EXPECT_NEAR(line.weight.gradient().at({1, 1}), 0.5 / std::sqrt(6.0), 1e-6);
  EXPECT_THROW(clip_gradient_norm(parameters, 0), UsageError);
}

TEST(ClipGradientNorm, ScalesAGradientOnceThatTwoParametersWereSent) {
  Bowl one;
  Bowl two;
  nn::Parameters parameters = nn::parameters(one);
  parameters.push_back({"y", two.x});
  backward(sum(one.x + two.x));  // both get the same tensor of ones
  clip_gradient_norm(parameters, 1);
  EXPECT_NEAR(one.x.gradient().at({0}), 1 / std::sqrt(6.0), 1e-6);
  EXPECT_NEAR(two.x.gradient().at({0}), 1 / std::sqrt(6.0), 1e-6);
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

TEST(Optimiser, ClipsEachGradientByItself) {
  Bowl steep;
  Bowl gentle;
  nn::Parameters both = nn::parameters(steep);
  both.push_back({"gentle", gentle.x});
  Optimiser optimiser(both, Sgd{});
  backward(steep.depth() + gentle.depth() * Real(.01));
  const double length = std::sqrt(64.0 + 144 + 64);
  const std::vector<Real> start = steep.x.value().values();
  const std::vector<Real> other = gentle.x.value().values();
  optimiser.step({.learning_rate = 1, .clip_each = 2});
  double moved = 0, unclipped = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    moved += std::pow(steep.x.value().values()[i] - start[i], 2);
    unclipped += std::pow(gentle.x.value().values()[i] - other[i], 2);
  }
  EXPECT_NEAR(std::sqrt(moved), 2, 1e-5);
  EXPECT_NEAR(std::sqrt(unclipped), .01 * length, 1e-5);
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
        Method(RmsProp{.momentum = 0.5, .centred = true}), Method(Adagrad{}), Method(Adadelta{})}) {
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
  EXPECT_THROW(Optimiser(nn::parameters(bowl), Adadelta{.decay = 1}), UsageError);
}

}  // namespace
}  // namespace heed::training
