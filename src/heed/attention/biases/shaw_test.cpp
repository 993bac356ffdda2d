// SPDX-License-Identifier: Apache-2.0
// Shaw's vectors by hand, on the side of keys and of values.
#include <cmath>

#include "heed/attention/biases/testing.h"

namespace heed::attention {
namespace {

using heed::testing::expect_near;

TEST(Shaw, AddsTheQuerysProductWithTheVectorOfTheClippedOffset) {
  auto part = made_bias("shaw", {{"clip", "1"}, {"scale", "1"}});
  set_parameter(*part, "a", Tensor::of({3, 3}, {1, 0, 0, 0, 1, 0, 0, 0, 1}));
  BiasRun run{.queries = 1, .keys = 5, .first_query = 2};
  run.query = Variable(Tensor::of({1, 1, 1, 3}, {10, 20, 30}));
  expect_near(run.of(*part), Tensor::of({1, 1, 1, 5}, {10, 10, 20, 30, 30}), 1e-5);
}

TEST(Shaw, IsScaledLikeScaledDotUnlessToldOtherwise) {
  auto plain = made_bias("shaw", {{"clip", "1"}, {"scale", "1"}});
  auto scaled = made_bias("shaw", {{"clip", "1"}});
  set_parameter(*scaled, "a", parameters_of(*plain)[0].second);
  const BiasRun run{.queries = 2, .keys = 3};
  expect_near(run.of(*scaled) * static_cast<Real>(std::sqrt(3.0)), run.of(*plain), 1e-6);
}

TEST(Shaw, AddsToTheContextWhenValuesAreAskedFor) {
  auto part = made_bias("shaw", {{"clip", "1"}, {"values", "true"}});
  set_parameter(*part, "b", Tensor::of({3, 2}, {1, 0, 0, 1, 5, 5}));
  const BiasRun run{.queries = 1, .keys = 4, .first_query = 1};
  const Tensor weights = Tensor::of({1, 1, 1, 4}, {0.5, 0.25, 0.125, 0.125});
  expect_near(part->add_to_context(weights, run.call()).value(),
              Tensor::of({1, 1, 1, 2}, {0.5 + 1.25, 0.25 + 1.25}), 1e-6);
  EXPECT_FALSE(made_bias("shaw")->add_to_context(weights, run.call()).defined());
}

}  // namespace
}  // namespace heed::attention
