// SPDX-License-Identifier: Apache-2.0
// Whole point models against finite differences, in every parameter.
#include <gtest/gtest.h>

#include "heed/models/point_model_testing.h"
#include "heed/models/testing.h"

namespace heed::models {
namespace {

class PointModelGradients
    : public ::testing::TestWithParam<std::pair<std::string, PointModelOptions>> {};

TEST_P(PointModelGradients, AreSlopesOfTheLoss) {
  Random random(5);
  const auto model = make_point_model(GetParam().second, random);
  const Tensor points = testing::random_points(2, 4, GetParam().second.features, random);
  const Ids choices = Ids::of({2, 5}, {3, 1, 2, 0, 0, 4, 2, 1, 3, 0});
  const Ids targets = Ids::of({10}, {3, 1, 2, 0, -1, 4, 2, 1, 3, 0});
  testing::expect_slopes(
      nn::parameters(*model),
      [&] {
        const Variable logits = model->decode(model->read(Variable(points), {}), choices, {});
        return cross_entropy(logits, targets, {.ignored = -1, .reduction = Reduction::sum});
      },
      17);
}

INSTANTIATE_TEST_SUITE_P(All, PointModelGradients, ::testing::ValuesIn(testing::point_models()),
                         [](const auto& info) { return info.param.first; });

}  // namespace
}  // namespace heed::models
