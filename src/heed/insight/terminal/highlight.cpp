// SPDX-License-Identifier: Apache-2.0
// Words set line by line, each with its mark.
#include "heed/insight/terminal/highlight.h"

#include <algorithm>
#include <cmath>

#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/insight/trace/label.h"

namespace heed::insight {

std::string highlight(std::span<const std::string> words, std::span<const double> weights,
                      const Screen& screen) {
  if (words.size() != weights.size()) {
    throw UsageError("highlight: {} words and {} weights; it takes one for each", words.size(),
                     weights.size());
  }
  if (words.empty()) return "\n";
  double largest = 0;
  double sum = 0;
  for (const double weight : weights) {
    if (std::isnan(weight)) continue;
    largest = std::max(largest, weight);
    sum += weight;
  }
  const double mean = sum / static_cast<double>(weights.size());
  std::string text;
  std::size_t column = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool masked = std::isnan(weights[i]);
    std::string word = label_of_line(words[i]);
    if (screen.colour == Colour::none && weights[i] > mean && weights[i] >= .005) {
      word += "[" + weight_text(weights[i]) + "]";
    }
    const std::size_t width = display_width(word) + (masked ? 1 : 0);
    if (column > 0 && column + 1 + width > screen.width) {
      text += "\n";
      column = 0;
    }
    if (column > 0) {
      text += " ";
      ++column;
    }
    if (masked) text += hatched(1, screen);
    text += shaded(word, largest > 0 ? weights[i] / largest : 0, screen);
    column += width;
  }
  return text + "\n";
}

}  // namespace heed::insight
