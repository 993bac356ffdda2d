// SPDX-License-Identifier: Apache-2.0
// Small strips for tests of models that read them.
#pragma once

#include "heed/models/strip_encoder.h"
#include "heed/nn/initialisers.h"

namespace heed::models::testing {

// Strips of these lengths, whose padding is zero.
inline StripTensors random_strips(const std::vector<int>& lengths, std::int64_t height,
                                  Random& random) {
  const int most = *std::max_element(lengths.begin(), lengths.end());
  const auto count = static_cast<std::int64_t>(lengths.size());
  StripTensors strips{nn::uniform({count, most, height}, random, -1, 1), Ids({count})};
  for (std::int64_t b = 0; b < count; ++b) {
    const int length = lengths[static_cast<std::size_t>(b)];
    strips.lengths.mutable_data()[b] = length;
    std::fill_n(strips.frames.mutable_data() + (b * most + length) * height,
                (most - length) * height, Real{0});
  }
  return strips;
}

inline StripTensors strip_alone(const StripTensors& all, std::int64_t row) {
  const std::int32_t length = all.lengths.at({row});
  return {all.frames.slice(0, row, row + 1).slice(1, 0, length).clone(), Ids::of({1}, {length})};
}

}  // namespace heed::models::testing
