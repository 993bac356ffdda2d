// SPDX-License-Identifier: Apache-2.0
// Words set line by line, each with its mark.
#include "heed/insight/highlight.h"

#include <algorithm>
#include <numeric>

#include "heed/base/error.h"
#include "heed/base/text.h"

namespace heed::insight {

std::string highlight(std::span<const std::string> words, std::span<const double> weights,
                      const Screen& screen) {
  if (words.size() != weights.size()) {
    throw UsageError("highlight: {} words and {} weights; it takes one for each", words.size(),
                     weights.size());
  }
  if (words.empty()) return "\n";
  const double largest = std::ranges::max(weights);
  const double mean =
      std::accumulate(weights.begin(), weights.end(), 0.) / static_cast<double>(weights.size());
  std::string text;
  std::size_t column = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string word = words[i];
    if (screen.colour == Colour::none && weights[i] > mean && weights[i] >= .005) {
      word += "[" + weight_text(weights[i]) + "]";
    }
    const std::size_t width = display_width(word);
    if (column > 0 && column + 1 + width > screen.width) {
      text += "\n";
      column = 0;
    }
    if (column > 0) {
      text += " ";
      ++column;
    }
    text += shaded(word, largest > 0 ? weights[i] / largest : 0, screen.colour);
    column += width;
  }
  return text + "\n";
}

}  // namespace heed::insight
