// SPDX-License-Identifier: Apache-2.0
// The Gaussian around a centre, predicted or the query's own position, by hand.
#include <cmath>

#include "heed/attention/biases/testing.h"

namespace heed::attention {
namespace {

using heed::testing::expect_near;

TEST(Gaussian, PredictsACentreBetweenTheFirstKeyAndTheLast) {
  auto part = made_bias("gaussian", {{"width", "4"}});
  set_parameter(*part, "v", Tensor::zeros({3}));  // sigmoid(0): the middle
  const BiasRun run{.keys = 8};
  expect_near(part->centres(run.call()).value(), Tensor::of({1, 1, 1}, {4}), 1e-6);
  set_parameter(*part, "v", Tensor::full({3}, 100));
  const Real centre = part->centres(run.call()).value().item();
  EXPECT_GE(centre, 0);
  EXPECT_LE(centre, 8);
}

TEST(Gaussian, PredictsTheCentreWithinEachSequencesLength) {
  auto part = made_bias("gaussian");
  set_parameter(*part, "v", Tensor::zeros({3}));  // sigmoid(0): the middle
  const Variable query(heed::testing::wavy({2, 1, 1, 3}));
  const Variable keys(heed::testing::wavy({2, 1, 8, 3}));
  const BiasCall call{.query = query, .keys = keys, .lengths = Ids::of({2}, {6, 20})};
  expect_near(part->centres(call).value(), Tensor::of({2, 1, 1}, {3, 4}), 1e-6);
}

TEST(Gaussian, FadesWeightsWithTheDistanceAndLeavesScoresAlone) {
  const auto part = made_bias("gaussian", {{"width", "4"}, {"centre", "query"}});
  const BiasRun run{.keys = 4, .first_query = 1};
  const Tensor weights = Tensor::of({1, 1, 1, 4}, {0.5, 0.25, 0, 0.25});
  const auto fall = [](double away) { return static_cast<Real>(std::exp(-away * away / 8)); };
  expect_near(part->scale_weights(weights, run.call()).value(),
              Tensor::of({1, 1, 1, 4}, {fall(1) / 2, fall(0) / 4, 0, fall(2) / 4}), 1e-6);
  expect_near(run.of(*part), Tensor::zeros({1, 1, 1, 4}), 0);
  EXPECT_TRUE(parameters_of(*part).empty());
}

TEST(Gaussian, KeepsAMaskedKeysNanOutOfTheCentresGradient) {
  auto part = made_bias("gaussian");
  BiasRun run{.keys = 3};
  const Variable query = Variable::leaf(run.query.value());
  const BiasCall call{.query = query, .keys = run.key};
  const Variable weights = Variable(Tensor::of({1, 1, 1, 3}, {0.5, 0, 0.5}));
  backward(part->scale_weights(weights, call),
           Tensor::of({1, 1, 1, 3}, {1, static_cast<Real>(NAN), 2}));
  for (const Real g : query.gradient().values()) EXPECT_TRUE(std::isfinite(g));
}

}  // namespace
}  // namespace heed::attention
