// SPDX-License-Identifier: Apache-2.0
// What the verbs of language models share on the command line.
#pragma once

#include "heed/base/options.h"
#include "heed/decoding/continuous_cache.h"

namespace heed::cli {

inline void declare_cache(Options& list, decoding::CacheOptions& cache) {
  list.add("cache-size", cache.size,
           "past states kept by a continuous cache, which makes words likelier that followed "
           "similar states; 0: no cache")
      .range(0, 1 << 24);
  list.add("cache-theta", cache.theta, "cache: how much similarity counts").at_least(0);
  list.add("cache-lambda", cache.lambda, "cache: its share of the probabilities")
      .at_least(0)
      .below(1);
}

}  // namespace heed::cli
