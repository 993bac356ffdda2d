// SPDX-License-Identifier: Apache-2.0
// Networks that look in glimpses: what flows where, and REINFORCE against the expectation itself.
#include "heed/models/glimpse_network.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "heed/base/error.h"
#include "heed/base/testing.h"
#include "heed/tensor/testing.h"

namespace heed::models {
namespace {

GlimpseNetworkOptions small_network() {
  return {.height = 5,
          .width = 5,
          .classes = 3,
          .glimpses = 2,
          .sensor = {.size = 2},
          .deviation = .4,
          .part = 8,
          .hidden = 12,
          .place_hidden = 6,
          .context_channels = 2};
}

Tensor some_images(std::int64_t count, std::int64_t side = 5) {
  Tensor images({count, side, side, 1});
  Random random(3);
  fill_uniform(std::span(images.mutable_data(), static_cast<std::size_t>(images.size())), random,
               Real(0), Real(1));
  return images;
}

double size_of_gradient(const nn::Parameters& parameters, const std::string& beginning) {
  double size = 0;
  for (const nn::Parameter& parameter : parameters) {
    if (!parameter.name.starts_with(beginning) || !parameter.variable.gradient().defined())
      continue;
    for (const Real value : parameter.variable.gradient().values()) size += std::abs(double{value});
  }
  return size;
}

std::vector<Tensor> ones_like(const Variables& baselines, Real value) {
  std::vector<Tensor> rewards;
  for (const Variable& one : baselines) rewards.push_back(Tensor::full(one.shape(), value));
  return rewards;
}

TEST(GlimpseNetwork, LearnsPlacesByTheirRewardOnlyAndAllElseByTheClassesOnly) {
  for (const GlimpseCore core :
       {GlimpseCore::feedforward, GlimpseCore::lstm, GlimpseCore::stacked}) {
    GlimpseNetworkOptions options = small_network();
    options.core = core;
    Random random(1);
    GlimpseNetwork network(options, random);
    const nn::Parameters parameters = nn::parameters(network);
    const auto run = network(some_images(4), {.random = &random, .draw = true});
    EXPECT_EQ(run.places.size(), 2u);
    EXPECT_EQ(run.means.size(), core == GlimpseCore::stacked ? 2u : 1u) << "T - 1 without a glance";
    backward(sum(cross_entropy(run.logits[0], Ids::of({4}, {0, 1, 2, 0}))));
    EXPECT_EQ(size_of_gradient(parameters, "place"), 0);
    EXPECT_EQ(size_of_gradient(parameters, "baseline"), 0);
    EXPECT_EQ(size_of_gradient(parameters, "upper"), 0);
    EXPECT_GT(size_of_gradient(parameters, "see"), 0);
    EXPECT_GT(size_of_gradient(parameters, "where"), 0);
    nn::clear_gradients(parameters);
    const auto again = network(some_images(4), {.random = &random, .draw = true});
    backward(policy_loss(again, ones_like(again.baselines, 1), .4) +
             baseline_loss(again, ones_like(again.baselines, 1)));
    EXPECT_GT(size_of_gradient(parameters, "place"), 0);
    EXPECT_GT(size_of_gradient(parameters, "baseline"), 0);
    EXPECT_EQ(size_of_gradient(parameters, "see"), 0);
    EXPECT_EQ(size_of_gradient(parameters, "output"), 0);
    if (core == GlimpseCore::stacked) {
      EXPECT_GT(size_of_gradient(parameters, "upper"), 0);
      EXPECT_GT(size_of_gradient(parameters, "glance"), 0);
    }
  }
}

TEST(GlimpseNetwork, LearnsWhereToReadByItsGradientWithTheFiltersOfDraw) {
  GlimpseNetworkOptions options = small_network();
  options.policy = GlimpsePolicy::draw;
  options.core = GlimpseCore::lstm;
  Random random(1);
  GlimpseNetwork network(options, random);
  const nn::Parameters parameters = nn::parameters(network);
  const auto run = network(some_images(4));
  EXPECT_TRUE(run.means.empty());
  EXPECT_EQ(run.extents.size(), 2u);
  EXPECT_NEAR(run.extents[0].at({0}), 8, .5) << "4 pixels between 2 filters, at first";
  backward(sum(cross_entropy(run.logits[0], Ids::of({4}, {0, 1, 2, 0}))));
  EXPECT_GT(size_of_gradient(parameters, "read"), 0);
}

TEST(GlimpseNetwork, WritesAnEndAfterSeveralTargets) {
  GlimpseNetworkOptions options = small_network();
  options.targets = 2;
  Random random(1);
  GlimpseNetwork network(options, random);
  const auto run = network(some_images(2), {.random = &random, .keep = true});
  EXPECT_EQ(run.logits.size(), 3u);
  EXPECT_EQ(run.places.size(), 6u);
  EXPECT_EQ(run.logits[0].shape(), Shape({2, 4}));
  EXPECT_EQ(run.patches[5].shape(), Shape({2, 1, 2, 2, 1}));
  EXPECT_EQ(run.chances[5].shape(), Shape({2, 4}));
}

TEST(GlimpseNetwork, RepeatsItselfWithTheSameRandomNumbersAndHoldsPlaces) {
  GlimpseNetworkOptions options = small_network();
  options.deviation = 2;
  Random random(1);
  GlimpseNetwork network(options, random);
  const auto run = [&](std::uint64_t seed) {
    Random noise(seed);
    return network(some_images(8), {.random = &noise, .draw = true});
  };
  EXPECT_EQ(run(5).places[1].values(), run(5).places[1].values());
  EXPECT_NE(run(5).places[1].values(), run(6).places[1].values());
  double beyond = 0;
  for (const Real value : run(5).drawn[0].values())
    beyond = std::max(beyond, std::abs(double{value}));
  EXPECT_GT(beyond, 1);
  for (const Real value : run(5).places[1].values()) EXPECT_LE(std::abs(value), 1);
}

// The density of a draw around its mean, in two dimensions.
double density(const double* at, const Tensor& means, double deviation) {
  double distance = 0;
  for (std::int64_t i = 0; i < 2; ++i) {
    distance += std::pow(at[i] - double{means.at({0, i})}, 2);
  }
  return std::exp(-distance / (2 * deviation * deviation)) /
         (2 * std::acos(-1) * deviation * deviation);
}

// The law: with the second glimpse at each of 5 x 5 places, weighed by its density, the gradients
// of REINFORCE add up to that of the expected reward, found by finite differences of the densities.
TEST(GlimpseNetwork, LearnsTheGradientOfTheExpectedRewardOverFiveByFivePlaces) {
  const GlimpseNetworkOptions options = small_network();
  Random random(2);
  GlimpseNetwork network(options, random);
  const nn::Parameters parameters = nn::parameters(network);
  const Tensor image = some_images(1);
  const auto placed = [&](const double* at) {
    return network(
        image, {.place = [at](std::int64_t, const Tensor&) {
          return Tensor::of({1, 2}, {static_cast<Real>(at[0]), static_cast<Real>(at[1])});
        }});
  };
  std::vector<std::array<double, 2>> places;
  for (int y = -2; y <= 2; ++y) {
    for (int x = -2; x <= 2; ++x) places.push_back({.4 * x, .4 * y});
  }
  // The chance of class 1 stands for the reward: it differs from place to place.
  std::vector<double> rewards;
  for (const auto& at : places) {
    rewards.push_back(double{softmax(placed(at.data()).logits[0]).value().at({0, 1})});
  }
  const auto expected = [&] {
    double sum = 0;
    for (std::size_t i = 0; i < places.size(); ++i) {
      const Tensor means = placed(places[i].data()).means[0].value();
      sum += density(places[i].data(), means, options.deviation) * rewards[i];
    }
    return sum;
  };
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto run = placed(places[i].data());
    const double weight = density(places[i].data(), run.means[0].value(), options.deviation);
    // Against the baseline's own value, so that the reward itself is the advantage.
    const Tensor reward = run.baselines[0].value() + static_cast<Real>(rewards[i]);
    backward(policy_loss(run, {reward}, options.deviation) * static_cast<Real>(weight));
  }
  int compared = 0;
  for (const nn::Parameter& parameter : parameters) {
    if (parameter.name != "place.weight" && parameter.name != "place.bias") continue;
    Variable variable = parameter.variable;
    for (std::int64_t k = 0; k < variable.value().size(); ++k) {
      const auto moved = [&](Real by) {
        const Tensor before = variable.value().clone();
        variable.mutable_value().mutable_data()[k] += by;
        const double reward = expected();
        variable.mutable_value().assign(before);
        return reward;
      };
      const Real step = Real(1e-2);
      const double slope = (moved(step) - moved(-step)) / (2 * double{step});
      EXPECT_NEAR(-double{variable.gradient().values()[static_cast<std::size_t>(k)]}, slope, 2e-3);
      ++compared;
    }
  }
  EXPECT_EQ(compared, 14);
}

// Known answer: the gradient of P(l > 0) for l ~ N(.05, .1^2), by a fine sum over l.
TEST(PolicyLoss, HasTheKnownGradientOfAnExpectedReward) {
  const nlohmann::json answer = nlohmann::json::parse(std::ifstream(
      std::filesystem::path(HEED_SOURCE_DIR) / "tests/golden/memory.json"))["reinforce"];
  const double mu = answer["mu"], sigma = answer["sigma"], step = 1e-3;
  std::vector<Real> at, weights;
  for (double l = mu - 6 * sigma + step / 2; l < mu + 6 * sigma; l += step) {
    at.insert(at.end(), {static_cast<Real>(l), Real(mu)});
    const double away = (l - mu) / sigma;
    const double chance =
        std::exp(-away * away / 2) / (sigma * std::sqrt(2 * std::acos(-1))) * step;
    weights.push_back(l > 0 ? static_cast<Real>(chance) : Real(0));
  }
  const auto count = std::ssize(weights);
  const Variable mean = Variable::leaf(Tensor::of({1, 2}, {Real(mu), Real(mu)}));
  GlimpseRun run;
  run.means = {expand(mean, Shape({count, 2}))};
  run.drawn = {Tensor::of({count, 2}, at)};
  run.baselines = {Variable(Tensor::zeros({count}))};
  backward(policy_loss(run, {Tensor::of({count}, weights)}, sigma));
  EXPECT_NEAR(-double{mean.gradient().at({0, 0})}, answer["d_mu_of_expected_reward"].get<double>(),
              2e-4);
}

TEST(GlimpseNetwork, RefusesImagesAndSizesThatCannotBe) {
  Random random(1);
  GlimpseNetworkOptions options = small_network();
  options.sensor.size = 8;
  EXPECT_EQ(test::message_of<UsageError>([&] { GlimpseNetwork(options, random); }),
            "glimpse network: images of 5 x 5 are smaller than a glimpse of 8 x 8; take a glimpse "
            "of 5 at most, or larger images");
  const GlimpseNetwork network(small_network(), random);
  EXPECT_EQ(test::message_of<UsageError>([&] { network(some_images(1, 6)); }),
            "glimpse network: images [1,6,6,1]; it takes [B,5,5,1]");
  options = small_network();
  options.deviation = 0;
  EXPECT_THROW(GlimpseNetwork(options, random), UsageError);
}

}  // namespace
}  // namespace heed::models
