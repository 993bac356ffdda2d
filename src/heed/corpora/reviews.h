// SPDX-License-Identifier: Apache-2.0
// Hotel reviews with an opinion on location, cleanliness and service, and the words that decide it.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "heed/base/random.h"
#include "heed/corpora/corpus.h"

namespace heed::corpora {

inline constexpr std::array<std::string_view, 3> kReviewAspects = {"location", "cleanliness",
                                                                   "service"};

// Labels are good, bad and none, which a review that says nothing about an aspect has; 27 turns
// give every combination once. The opinions are in any order, between remarks on other things
// that use the same words ("The weather was excellent"). Evidence is what the opinion is about and
// the words that say it, "not" included.
Example draw_review(Random& random, std::int64_t turn);

}  // namespace heed::corpora
