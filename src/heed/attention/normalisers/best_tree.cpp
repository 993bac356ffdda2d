// SPDX-License-Identifier: Apache-2.0
// Both kinds of best trees, with ties always resolved alike.
#include "heed/attention/normalisers/best_tree.h"

#include <algorithm>
#include <cmath>

#include "heed/attention/normalisers/best_any_tree.h"
#include "heed/attention/normalisers/best_projective_tree.h"
#include "heed/attention/normalisers/first_of_equals.h"

namespace heed::attention {

bool is_tree(std::span<const std::int32_t> heads, const TreeForm& form) {
  const auto n = static_cast<std::int32_t>(heads.size());
  const auto head_of = [&](std::int32_t word) { return heads[static_cast<std::size_t>(word)]; };
  std::int32_t roots = 0;
  for (std::int32_t word = 0; word < n; ++word) {
    if (head_of(word) < 0 || head_of(word) >= n) return false;
    if (head_of(word) == word) ++roots;
  }
  for (std::int32_t word = 0; word < n; ++word) {
    std::int32_t forebear = word;
    for (std::int32_t step = 0; step < n; ++step) forebear = head_of(forebear);
    if (head_of(forebear) != forebear) return false;
  }
  if (roots == 0 || (form.roots == Roots::one && roots > 1)) return false;
  if (!form.projective) return true;
  const auto arc = [&](std::int32_t word) {
    const std::int32_t head = head_of(word) == word ? -1 : head_of(word);
    return std::minmax({head, word});
  };
  for (std::int32_t word = 0; word < n; ++word) {
    for (std::int32_t other = 0; other < n; ++other) {
      const auto [begin, end] = arc(word);
      const auto [first, last] = arc(other);
      if (begin < first && first < end && end < last) return false;
    }
  }
  return true;
}

std::optional<std::vector<std::int32_t>> best_tree(std::span<const double> scores,
                                                   const TreeForm& form) {
  const auto n = static_cast<std::size_t>(std::lround(std::sqrt(scores.size())));
  return first_of_equals(scores, n, [&](std::span<const double> left) {
    return form.projective ? best_projective_tree(left, n, form.roots)
                           : best_any_tree(left, n, form.roots);
  });
}

void refuse_without_tree(const char* part, const PresentTable& words, const TreeForm& form) {
  const std::size_t n = words.rows();
  const auto allows = [&](std::size_t d, std::size_t h) {
    return words.scores()[d * n + h] > -std::numeric_limits<double>::infinity();
  };
  // Words that reach the root, head by head.
  std::vector<bool> reaches(n);
  for (std::size_t round = 0; round < n; ++round) {
    for (std::size_t d = 0; d < n; ++d) {
      for (std::size_t h = 0; h < n; ++h) {
        if (allows(d, h) && (h == d || reaches[h])) reaches[d] = true;
      }
    }
  }
  std::size_t fewest = n + 1, poorest = 0;
  for (std::size_t d = 0; d < n; ++d) {
    std::size_t heads = 0;
    for (std::size_t h = 0; h < n; ++h) heads += allows(d, h) ? 1 : 0;
    if (heads < fewest) fewest = heads, poorest = d;
    if (heads == 0) throw UsageError("{}: word {} may hang on no word", part, words.query(d));
    if (!reaches[d]) {
      throw UsageError("{}: word {} may hang on words only that lead to no root", part,
                       words.query(d));
    }
  }
  throw UsageError(
      "{}: what may hang on what leaves no {}tree with {}; word {} has the fewest heads, {}", part,
      form.projective ? "projective " : "", form.roots == Roots::one ? "one root" : "roots",
      words.query(poorest), fewest);
}

}  // namespace heed::attention
