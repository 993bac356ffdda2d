// SPDX-License-Identifier: Apache-2.0
// Drawing pairs of sentences whose length lies where it is asked for.
#pragma once

#include <cstdint>

#include "heed/base/random.h"
#include "heed/tasks/corpus.h"

namespace heed::tasks::phrases {

// One to three clauses as they come; sources outside the lengths are drawn again. UsageError when
// none is found.
Example draw_phrase(Random& random, std::int64_t min_length, std::int64_t max_length);

// As many clauses as bring it near a length that is drawn evenly from min_length to max_length.
Example draw_long_phrase(Random& random, std::int64_t min_length, std::int64_t max_length);

}  // namespace heed::tasks::phrases
