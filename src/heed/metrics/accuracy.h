// SPDX-License-Identifier: Apache-2.0
// Accuracy: the share of lines that are exactly right, and of tokens that are right in their place.
#pragma once

#include <span>
#include <string>

namespace heed::metrics {

// Lines equal to their reference, white space at both ends aside. UsageError for unequal counts;
// 0 for none. All shares are from 0 to 1.
double exact_match(std::span<const std::string> hypotheses,
                   std::span<const std::string> references);

// Of the places that hypothesis or reference has, those where both have the same word.
double token_accuracy(std::span<const std::string> hypotheses,
                      std::span<const std::string> references);

}  // namespace heed::metrics
