// SPDX-License-Identifier: Apache-2.0
// Word alignments and how they are written: one line per sentence pair, "0-0 1-2 2p1".
//
// A link joins a word of the source to a word of the target, counted from 0. "1-2" is sure; "1p2"
// or "1?2" is possible: right if found, no loss if not (Och & Ney 2003). Links may be in any order.
#pragma once  // public header

#include <compare>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)  // exported

namespace heed::text {

struct Link {
  int source = 0;
  int target = 0;
  bool sure = true;

  auto operator<=>(const Link&) const = default;
};

// By source word, then by target word; no pair of words twice.
using Alignment = std::vector<Link>;

// The links in order; of a pair that is both sure and possible the sure link stays.
Alignment ordered(std::vector<Link> links);

struct PharaohOptions {
  std::string_view where = "alignment";  // opens the message of an error: "gold.txt:7"
  int first = 0;                         // the number of the first word; the shared tasks' is 1
};

// DataError for anything but links, and for words before the first.
Alignment parse_pharaoh(std::string_view line, const PharaohOptions& options = {});

// Possible links with 'p'.
std::string to_pharaoh(const Alignment& alignment);

}  // namespace heed::text

#pragma GCC visibility pop
