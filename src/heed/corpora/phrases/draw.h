// SPDX-License-Identifier: Apache-2.0
// Drawing pairs of sentences whose length lies where it is asked for.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "heed/base/random.h"
#include "heed/corpora/corpus.h"
#include "heed/corpora/phrases/tree.h"

namespace heed::corpora::phrases {

// Grows sentences (or none, when one is not to one's liking) until one has a length that fits.
// UsageError when none is found.
Example draw_fitting(std::int64_t min_length, std::int64_t max_length,
                     const std::function<std::optional<Sentence>()>& grow);

// One to three clauses as they come; sources outside the lengths are drawn again.
Example draw_phrase(Random& random, std::int64_t min_length, std::int64_t max_length);

// As many clauses as bring it near a length that is drawn evenly from min_length to max_length.
Example draw_long_phrase(Random& random, std::int64_t min_length, std::int64_t max_length);

}  // namespace heed::corpora::phrases
