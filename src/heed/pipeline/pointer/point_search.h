// SPDX-License-Identifier: Apache-2.0
// What a model points at in sets of points: the likeliest choice at every step, or beams, over
// valid outputs only. Sets of one size are read together.
#pragma once  // public header

#include <cstdint>
#include <span>
#include <vector>

#include "heed/base/options.h"
#include "heed/corpora/points/plane.h"
#include "heed/decoding/search.h"
#include "heed/models/point_model.h"

#pragma GCC visibility push(default)  // exported

namespace heed::pipeline {

struct PointSearch {
  int beam = 1;  // 1: the likeliest at every step

  void declare(Options& options);
};

struct FoundRoute {
  corpora::Route route{};
  double log_probability = 0;
};

// [B,P,F] of sets that have equally many points.
Tensor point_tensor(std::span<const corpora::Points* const> sets, std::int64_t features);

// The best of each, in the order of the sets.
std::vector<FoundRoute> find_routes(const models::PointModel& model,
                                    std::span<const corpora::Points> sets,
                                    const PointSearch& search = {});

}  // namespace heed::pipeline

#pragma GCC visibility pop
