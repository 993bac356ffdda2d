// SPDX-License-Identifier: Apache-2.0
// Random bits to store.
#pragma once

#include "heed/base/random.h"
#include "heed/models/associative_memory.h"

namespace heed::models {

// `count` patterns of `units`, each -1 or 1.
inline std::vector<MemoryPattern> random_patterns(std::int64_t count, std::int64_t units,
                                                  Random& random) {
  std::vector<MemoryPattern> patterns(static_cast<std::size_t>(count));
  for (MemoryPattern& pattern : patterns) {
    for (std::int64_t u = 0; u < units; ++u) pattern.push_back(random.integer(2) == 0 ? -1 : 1);
  }
  return patterns;
}

}  // namespace heed::models
