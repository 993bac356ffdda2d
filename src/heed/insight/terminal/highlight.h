// SPDX-License-Identifier: Apache-2.0
// Highlighted text: words with the attention they got as their background, or as a number after
// them where there are no colours.
//
//   a gorgeous[.58] , witty[.31] film
#pragma once  // public header

#include <span>
#include <string>

#include "heed/insight/terminal/shade.h"

#pragma GCC visibility push(default)  // exported

namespace heed::insight {

// Lines no wider than the screen, each ended. Backgrounds run from 0 to the largest magnitude,
// those below zero in a hue of their own; numbers follow words whose magnitudes are above the mean.
// Words whose weight is NaN are masked: a stroke is before them. UsageError unless there is a
// weight for each word.
std::string highlight(std::span<const std::string> words, std::span<const double> weights,
                      const Screen& screen = {});

// The same of weights that choose words: those of at least one half are underlined, neighbours with
// the space between them; where there are no colours an underscore stands at both ends of a run.
//
//   the _staff[.93] was[.71] rude[.98]_ to us
std::string highlight_chosen(std::span<const std::string> words, std::span<const double> weights,
                             const Screen& screen = {});

}  // namespace heed::insight

#pragma GCC visibility pop
