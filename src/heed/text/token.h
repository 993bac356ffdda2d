// SPDX-License-Identifier: Apache-2.0
// Tokens: the numbers text becomes, and the four that every vocabulary begins with.
#pragma once  // public header

#include <cstdint>
#include <vector>

#pragma GCC visibility push(default)  // exported

namespace heed::text {

using Token = std::int32_t;
using Tokens = std::vector<Token>;

inline constexpr Token kPadding = 0;
inline constexpr Token kUnknown = 1;
inline constexpr Token kBegin = 2;
inline constexpr Token kEnd = 3;
inline constexpr Token kFirstPiece = 4;  // the first token that stands for text

}  // namespace heed::text

#pragma GCC visibility pop
