// SPDX-License-Identifier: Apache-2.0
// Searches of points against all outputs that there are.
#include "heed/pipeline/pointer/point_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "heed/autograd/ops.h"
#include "heed/corpora/points/point_sets.h"

namespace heed::pipeline {
namespace {

// The likeliest of all ordered choices of 2 or more of four points.
FoundRoute best_of_all(const models::PointModel& model, const corpora::Points& points) {
  const corpora::Points* const one[] = {&points};
  const NoGradient values_only;
  const models::Encoded encoded = model.read(Variable(point_tensor(one, 2)), {});
  FoundRoute best{.log_probability = -std::numeric_limits<double>::infinity()};
  for (int subset = 0; subset < 16; ++subset) {
    corpora::Route route;
    for (int i = 0; i < 4; ++i) {
      if ((subset >> i & 1) != 0) route.push_back(i);
    }
    if (route.size() < 2) continue;
    do {
      Ids choices = Ids::full({1, std::ssize(route) + 1}, models::kEndChoice);
      for (std::size_t t = 0; t < route.size(); ++t) choices.mutable_data()[t] = route[t] + 1;
      const double mine = -static_cast<double>(cross_entropy(model.decode(encoded, choices, {}),
                                                             choices.reshape({choices.size()}),
                                                             {.reduction = Reduction::sum})
                                                   .item());
      if (mine > best.log_probability) best = {route, mine};
    } while (std::ranges::next_permutation(route).found);
  }
  return best;
}

TEST(FindRoutes, FindsTheLikeliestOutputOfAllWithAWideBeam) {
  Random random(4);
  for (const models::PointReading reading :
       {models::PointReading::lstm, models::PointReading::set, models::PointReading::attention}) {
    const auto model = models::make_point_model(
        {.reading = reading, .width = 8, .least = 2, .heads = 2, .inner = 8}, random);
    std::vector<corpora::Points> sets;
    for (const auto& set : corpora::draw_sets({.count = 5, .points = 4, .answers = false})) {
      sets.push_back(set.points);
    }
    const std::vector<FoundRoute> found = find_routes(*model, sets, {.beam = 64});
    const std::vector<FoundRoute> greedy = find_routes(*model, sets);
    for (std::size_t i = 0; i < sets.size(); ++i) {
      const FoundRoute best = best_of_all(*model, sets[i]);
      EXPECT_EQ(found[i].route, best.route);
      EXPECT_NEAR(found[i].log_probability, best.log_probability, 1e-4);
      EXPECT_LE(greedy[i].log_probability, best.log_probability + 1e-4);
    }
  }
}

TEST(FindRoutes, GivesTheSameForASetAloneAndAmongOthersOfAnySize) {
  Random random(4);
  const auto model = models::make_point_model({.width = 8, .least = 3}, random);
  std::vector<corpora::Points> sets;
  for (const std::int64_t size : {5, 3, 5, 9, 3}) {
    sets.push_back(corpora::draw_sets({.points = size, .batch = sets.size()}).front().points);
  }
  const std::vector<FoundRoute> all = find_routes(*model, sets, {.beam = 3});
  for (std::size_t i = 0; i < sets.size(); ++i) {
    const FoundRoute alone = find_routes(*model, std::span(&sets[i], 1), {.beam = 3}).front();
    EXPECT_EQ(alone.route, all[i].route);
    EXPECT_GE(all[i].route.size(), 3u);
    EXPECT_LE(all[i].route.size(), sets[i].size());
  }
}

}  // namespace
}  // namespace heed::pipeline
