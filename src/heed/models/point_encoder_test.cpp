// SPDX-License-Identifier: Apache-2.0
// What reads a set must not see its order; an LSTM does.
#include "heed/models/point_encoder.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/autograd/ops.h"
#include "heed/models/point_model_testing.h"

namespace heed::models {
namespace {

using testing::random_points;

// Reads points in another order: rows of [1,P,F] as `order` has them.
Tensor reordered_points(const Tensor& points, const std::vector<std::int32_t>& order) {
  const Variable rows = embedding(Variable(points.select(0, 0).packed()),
                                  Ids::of({static_cast<std::int64_t>(order.size())}, order));
  return rows.value().unsqueeze(0).packed();
}

TEST(SetReading, DoesNotDependOnTheOrderOfThePoints) {
  const NoGradient values_only;
  Random random(3);
  const std::vector<std::int32_t> order = {3, 0, 4, 2, 1};
  for (const PointReading reading :
       {PointReading::set, PointReading::attention, PointReading::lstm}) {
    const auto model = make_point_model(
        {.reading = reading, .width = 16, .glimpse = true, .heads = 2, .inner = 16}, random);
    const Tensor points = random_points(1, 5, 2, random);
    // The output 2 5 1 in one order is 5 3 2 in the other: point order[i] is in place i.
    const Tensor one =
        softmax(model->decode(model->read(Variable(points), {}), Ids::of({1, 3}, {2, 5, 1}), {}))
            .value();
    const Tensor other =
        softmax(model->decode(model->read(Variable(reordered_points(points, order)), {}),
                              Ids::of({1, 3}, {5, 3, 2}), {}))
            .value();
    double apart = 0;
    for (std::int64_t t = 0; t < 3; ++t) {
      for (std::int64_t i = 0; i < 5; ++i) {
        const Real mine = one.at({t, 1 + order[static_cast<std::size_t>(i)]});
        const Real its = other.at({t, 1 + i});
        apart = std::max(apart, static_cast<double>(std::abs(mine - its)));
      }
    }
    if (reading == PointReading::lstm) {
      EXPECT_GT(apart, 1e-4);
    } else {
      EXPECT_LE(apart, 1e-6) << point_reading_names()[static_cast<std::size_t>(reading)];
    }
  }
}

}  // namespace
}  // namespace heed::models
