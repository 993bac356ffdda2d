// SPDX-License-Identifier: Apache-2.0
// Sentences that say nothing that anybody asks for: the long text in which a fact lies.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/random.h"

namespace heed::corpora {

inline constexpr std::int64_t kShortestFiller = 3;  // words of a sentence

// What things and keys may be like.
inline constexpr std::string_view kColours[] = {"red",   "blue",  "green",  "white",
                                                "black", "brown", "yellow", "grey"};

// Sentences that together have exactly `words` words: "The tired baker watched a red tram." None
// for 0; UsageError for 1 and 2, which make no sentence.
std::vector<std::string> draw_filler(Random& random, std::int64_t words);

}  // namespace heed::corpora
