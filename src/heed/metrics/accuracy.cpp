// SPDX-License-Identifier: Apache-2.0
// Comparing lines with lines and words with words.
#include "heed/metrics/accuracy.h"

#include <algorithm>

#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/metrics/characters.h"

namespace heed::metrics {
namespace {

void require_equal(std::size_t hypotheses, std::size_t references) {
  if (hypotheses == references) return;
  throw UsageError("accuracy: {} hypotheses, {} references; it takes one for each", hypotheses,
                   references);
}

double share(std::size_t part, std::size_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

}  // namespace

double ExactMatch::share() const {
  return metrics::share(right, lines);
}

ExactMatch exact_match(std::span<const std::string> hypotheses,
                       std::span<const std::string> references) {
  require_equal(hypotheses.size(), references.size());
  ExactMatch match;
  for (std::size_t i = 0; i < hypotheses.size(); ++i) {
    const std::string_view found = trim(hypotheses[i]), wanted = trim(references[i]);
    if (found.empty() && wanted.empty()) continue;
    ++match.lines;
    match.right += found == wanted;
  }
  return match;
}

double token_accuracy(std::span<const std::string> hypotheses,
                      std::span<const std::string> references) {
  require_equal(hypotheses.size(), references.size());
  std::size_t equal = 0;
  std::size_t places = 0;
  for (std::size_t i = 0; i < hypotheses.size(); ++i) {
    const auto found = words(hypotheses[i]);
    const auto wanted = words(references[i]);
    places += std::max(found.size(), wanted.size());
    for (std::size_t at = 0; at < std::min(found.size(), wanted.size()); ++at) {
      equal += found[at] == wanted[at];
    }
  }
  return share(equal, places);
}

}  // namespace heed::metrics
