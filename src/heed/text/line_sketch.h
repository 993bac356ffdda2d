// SPDX-License-Identifier: Apache-2.0
// LineSketch: which texts come more than once, and which of one corpus are in another, in bounded
// memory. Texts are known by 64-bit hashes. While the table has room, it has them all; then it
// keeps those whose hash ends in a zero bit, then in two, and so on (adaptive sampling: Wegman;
// Flajolet 1990). A text that has come twice stays, whatever its hash, and counts for as many as
// were followed of the like when it came the second time: what comes often is counted exactly.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "heed/text/counted_lines.h"

namespace heed::text {

std::uint64_t text_hash(std::string_view text, std::uint64_t seed = 0);

class LineSketch {
 public:
  // 24 bytes for each of at most 2^`most_bits` places, three quarters of which are used.
  explicit LineSketch(int most_bits = 20);

  // A text on a line, and what it is said to be (the hash of its label), 0: nothing.
  void add(std::uint64_t hash, std::uint64_t line, std::uint32_t said = 0);

  struct Entry {
    std::uint64_t hash = 0;
    std::uint32_t count = 0;      // 0: a free place
    std::uint32_t said = 0;       // first
    std::uint64_t line : 56 = 0;  // first
    std::uint64_t level : 8 = 0;  // of a repeated text: it counts for 2^level
  };
  // nullptr for a text that was never added. Only for hashes that are `kept`.
  const Entry* find(std::uint64_t hash) const;
  bool kept(std::uint64_t hash) const { return (hash & (kept_one_in() - 1)) == 0; }
  // 1: figures are of all texts; n: of those one in n that the sketch kept.
  std::uint64_t kept_one_in() const { return std::uint64_t{1} << level_; }

  // Texts on later lines that an earlier line has.
  std::uint64_t repeated() const { return repeated_; }
  const std::vector<std::uint64_t>& first_repeated() const { return repeated_lines_; }
  // Repeated texts that are not said to be what they were the first time.
  std::uint64_t contradicting() const { return contradicting_; }
  const std::vector<std::uint64_t>& first_contradicting() const { return contradicting_lines_; }
  // The text that comes most often: how often, and its first line.
  const Entry& commonest() const { return commonest_; }

 private:
  std::size_t place_of(std::uint64_t hash) const;
  void make_room();

  int most_bits_;
  int bits_;  // of the places there are
  int level_ = 0;
  std::size_t used_ = 0;
  std::vector<Entry> table_;
  std::uint64_t repeated_ = 0;
  std::uint64_t contradicting_ = 0;
  std::vector<std::uint64_t> repeated_lines_{};
  std::vector<std::uint64_t> contradicting_lines_{};
  Entry commonest_{};
};

}  // namespace heed::text
