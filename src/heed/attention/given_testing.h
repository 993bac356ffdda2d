// SPDX-License-Identifier: Apache-2.0
// For tests that give data of every kind: one list, divided into what goes with the keys and what
// goes with the call.
#pragma once

#include "heed/attention/memory.h"
#include "heed/attention/query_data.h"

namespace heed::attention {

struct GivenData {
  Ids lengths{}, query_segments{}, key_segments{};
  Tensor mask{}, bias{};
  Variable bounds{};

  KeyData of_keys() const { return {.lengths = lengths, .segments = key_segments}; }
  QueryData of_queries() const {
    return {.segments = query_segments, .mask = mask, .bias = bias, .bounds = bounds};
  }
};

}  // namespace heed::attention
