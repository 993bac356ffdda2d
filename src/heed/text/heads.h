// SPDX-License-Identifier: Apache-2.0
// Dependency trees and how they are written: one line per text, the head of each word, "2 3 0".
//
// Words count from 1 there, and 0 is the root, as in CoNLL-U; several words may hang on the root.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/exported.h"

namespace heed::text {

// The word that each word hangs on, counted from 0; the word itself where that is the root.
using Heads = std::vector<std::int32_t>;

// `where` opens the message of an error: "gold.heads:7". DataError for anything but numbers, for
// words that are not there, and for words that hang on each other in a circle.
HEED_EXPORTED Heads parse_heads(std::string_view line, std::string_view where = "heads");

std::string write_heads(const Heads& heads);

}  // namespace heed::text
