// SPDX-License-Identifier: Apache-2.0
// The best dependency tree of a sentence, and whether heads are a tree.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "heed/attention/normalisers/present_table.h"
#include "heed/attention/normalisers/tree_sums.h"
#include "heed/base/error.h"

namespace heed::attention {

struct TreeForm {
  bool projective = true;
  Roots roots = Roots::one;
};

// heads [n], a word that hangs on the root being its own: whether no word is its own forebear, the
// roots are as many as may be and, where asked for, no two arcs cross, those from the root, which
// stands before the sentence, included (one root: nothing spans it).
bool is_tree(std::span<const std::int32_t> heads, const TreeForm& form);

// scores [n,n]: [d][h] of h as the head of d, [d][d] of the root; -inf: forbidden. The heads of the
// tree whose scores add up to most; of equal ones that whose heads come first as a list. nullopt:
// there is no tree. Projective: Eisner 1996, O(n^3). Any: Chu & Liu 1965, Edmonds 1967, O(n^3).
std::optional<std::vector<std::int32_t>> best_tree(std::span<const double> scores,
                                                   const TreeForm& form);

// The words of a sentence that a part reads. UsageError unless there are as many queries as keys.
template <typename T>
PresentTable words_of(const char* part, const Table<T>& table) {
  if (table.queries != table.keys) {
    throw UsageError(
        "{}: {} queries over {} keys; every word asks for its head among the same words, so it "
        "takes as many of both",
        part, table.queries, table.keys);
  }
  return PresentTable(table, true);
}
// UsageError that says why these words have no tree.
[[noreturn]] void refuse_without_tree(const char* part, const PresentTable& words,
                                      const TreeForm& form);

}  // namespace heed::attention
