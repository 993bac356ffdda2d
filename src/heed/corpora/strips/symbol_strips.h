// SPDX-License-Identifier: Apache-2.0
// Strips of symbols, made by a rule: each of 12 symbols is a fixed vector of 16 numbers, held for 2
// to 6 frames, with 0 to 3 silent frames before the next and noise of deviation .5 over all.
//
// Two equal symbols without a silent frame between them cannot be told from one that was held for
// as long: 1 neighbour in 48, of which 6 in 25 last no longer than one symbol may. So no reader
// gets every strip right; about .4% of the labels are lost to all.
#pragma once  // public header

#include <string_view>

#include "heed/corpora/strips/strips.h"

#pragma GCC visibility push(default)  // exported

namespace heed::corpora {

inline constexpr std::string_view kSymbolAlphabet = "abcdefghijkl";
inline constexpr std::int64_t kSymbolHeight = 16;

// What symbols look like, one after another: 12 times 16 numbers, the same for every seed.
std::span<const float> symbol_vectors();

std::vector<Strip> draw_symbol_strips(const DrawnStrips& wanted);

}  // namespace heed::corpora

#pragma GCC visibility pop
