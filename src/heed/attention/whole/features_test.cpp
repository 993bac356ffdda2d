// SPDX-License-Identifier: Apache-2.0
// The op over the kernel against the composition that it equals, over several chunks of keys.
#include "heed/attention/whole/features.h"

#include <gtest/gtest.h>

#include "heed/attention/compose/products.h"
#include "heed/autograd/ops.h"
#include "heed/tensor/testing.h"

namespace heed::attention {
namespace {

using heed::testing::expect_near;
using heed::testing::wavy;

constexpr std::int64_t kTokens = 150;

FeatureMaps positive() {
  const auto map = [](const Variable& x) { return exp(x); };
  return {map, map};
}

// What each query sees: all before it, in the second sequence no more than 100.
std::vector<std::int64_t> causal_in_two() {
  std::vector<std::int64_t> visible;
  for (std::int64_t q = 0; q < kTokens; ++q) visible.push_back(q + 1);
  for (std::int64_t q = 0; q < kTokens; ++q) visible.push_back(std::min<std::int64_t>(q + 1, 100));
  return visible;
}

TEST(Features, GiveTheContextAndTheGradientsOfTheirWeights) {
  const auto run = [&](bool composed) {
    const Variable query = Variable::leaf(wavy({2, 4, kTokens, 3})),
                   keys = Variable::leaf(wavy({2, 2, kTokens, 3}, 1)),
                   values = Variable::leaf(wavy({2, 2, kTokens, 5}, 2)), none;
    const WholeCall call{query, {keys, values, none}, causal_in_two()};
    const Variable context = composed ? combine(feature_weights(positive(), call), values)
                                      : feature_context(positive(), call);
    backward(sum(context * Variable(wavy({2, 4, kTokens, 5}, 3))));
    return std::vector<Tensor>{context.value(), query.gradient(), keys.gradient(),
                               values.gradient()};
  };
  const std::vector<Tensor> composed = run(true), fused = run(false);
  for (std::size_t i = 0; i < fused.size(); ++i) expect_near(fused[i], composed[i], 2e-5);
}

TEST(Features, SumUpWhatCameBefore) {
  const Variable query = wavy({1, 2, 20, 3}), keys = wavy({1, 2, 90, 3}, 1),
                 values = wavy({1, 2, 90, 4}, 2), none;
  const std::vector<std::int64_t> all(20, 90), rest(20, 20);
  const Variable whole = feature_context(positive(), {query, {keys, values, none}, all});
  const Variable sums =
      feature_sums(positive(), {slice(keys, 2, 0, 70), slice(values, 2, 0, 70), none}, {70});
  EXPECT_EQ(sums.shape(), (Shape{1, 2, 3, 5}));
  const Variable later = slice(keys, 2, 70, 90), later_values = slice(values, 2, 70, 90);
  expect_near(feature_context(positive(), {query, {later, later_values, sums}, rest}).value(),
              whole.value(), 1e-5);
}

}  // namespace
}  // namespace heed::attention
