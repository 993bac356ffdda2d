// SPDX-License-Identifier: Apache-2.0
// Small point models of every reading, and points for them.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "heed/models/point_model.h"
#include "heed/nn/initialisers.h"

namespace heed::models::testing {

inline std::vector<std::pair<std::string, PointModelOptions>> point_models() {
  const PointModelOptions small{.width = 8, .least = 2, .heads = 2, .inner = 12};
  std::vector<std::pair<std::string, PointModelOptions>> all = {{"Lstm", small},
                                                                {"LstmGlimpse", small},
                                                                {"Set", small},
                                                                {"SetGlimpse", small},
                                                                {"Attention", small}};
  all[1].second.glimpse = true;
  all[2].second.reading = all[3].second.reading = PointReading::set;
  all[3].second.glimpse = true;
  all[3].second.features = 1;
  all[4].second.reading = PointReading::attention;
  return all;
}

inline Tensor random_points(std::int64_t sets, std::int64_t points, std::int64_t features,
                            Random& random) {
  return nn::uniform({sets, points, features}, random, 0, 1);
}

}  // namespace heed::models::testing
