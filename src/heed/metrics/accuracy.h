// SPDX-License-Identifier: Apache-2.0
// Accuracy: the share of lines that are exactly right, and of tokens that are right in their place.
#pragma once  // public header

#include <span>
#include <string>

#pragma GCC visibility push(default)  // exported

namespace heed::metrics {

// Lines equal to their reference, white space at both ends aside. Lines without text on either side
// are between documents and do not count.
struct ExactMatch {
  std::size_t right = 0;
  std::size_t lines = 0;

  double share() const;  // from 0 to 1; 0 for none
};

// UsageError for unequal counts.
ExactMatch exact_match(std::span<const std::string> hypotheses,
                       std::span<const std::string> references);

// From 0 to 1: of the places that hypothesis or reference has, those where both have the same word.
double token_accuracy(std::span<const std::string> hypotheses,
                      std::span<const std::string> references);

}  // namespace heed::metrics

#pragma GCC visibility pop
