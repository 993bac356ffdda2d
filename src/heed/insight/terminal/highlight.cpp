// SPDX-License-Identifier: Apache-2.0
// Words set line by line, each with its mark.
#include "heed/insight/terminal/highlight.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/insight/draw/chosen_words.h"
#include "heed/insight/trace/label.h"

namespace heed::insight {
namespace {

std::string underlined(std::string_view text, const Screen& screen) {
  if (screen.colour == Colour::none) return std::string(text);
  return fmt::format("\x1b[4m{}\x1b[0m", text);
}

// Whether this word is in a run, begins or ends one.
struct Chosen {
  bool inside = false;
  bool first = false;
  bool last = false;
};

std::vector<Chosen> chosen_words(std::size_t words, const std::vector<WordRun>& runs) {
  std::vector<Chosen> chosen(words);
  for (const WordRun& run : runs) {
    for (std::size_t i = run.begin; i < run.end; ++i) {
      chosen[i] = {true, i == run.begin, i + 1 == run.end};
    }
  }
  return chosen;
}

std::string highlighted(std::span<const std::string> words, std::span<const double> weights,
                        const std::vector<WordRun>& runs, const Screen& screen) {
  double largest = 0;
  double sum = 0;
  for (const double weight : weights) {
    if (std::isnan(weight)) continue;
    largest = std::max(largest, std::abs(weight));
    sum += std::abs(weight);
  }
  const double mean = sum / static_cast<double>(weights.size());
  const std::vector<Chosen> chosen = chosen_words(words.size(), runs);
  const bool plain = screen.colour == Colour::none;
  std::string text;
  std::size_t column = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool masked = std::isnan(weights[i]);
    std::string word = label_of_line(words[i]);
    if (plain && std::abs(weights[i]) > mean && std::abs(weights[i]) >= .005) {
      word += "[" + weight_text(weights[i]) + "]";
    }
    if (plain && chosen[i].first) word.insert(0, "_");
    if (plain && chosen[i].last) word += "_";
    const std::size_t width = display_width(word) + (masked ? 1 : 0);
    if (column > 0 && column + 1 + width > screen.width) {
      text += "\n";
      column = 0;
    }
    if (column > 0) {
      text += chosen[i].inside && !chosen[i].first ? underlined(" ", screen) : " ";
      ++column;
    }
    if (masked) text += hatched(1, screen);
    const std::string painted = shaded(word, largest > 0 ? weights[i] / largest : 0, screen);
    text += chosen[i].inside ? underlined(painted, screen) : painted;
    column += width;
  }
  return text + "\n";
}

void check_counts(std::span<const std::string> words, std::span<const double> weights) {
  if (words.size() == weights.size()) return;
  throw UsageError("highlight: {} words and {} weights; it takes one for each", words.size(),
                   weights.size());
}

}  // namespace

std::string highlight(std::span<const std::string> words, std::span<const double> weights,
                      const Screen& screen) {
  check_counts(words, weights);
  return words.empty() ? "\n" : highlighted(words, weights, {}, screen);
}

std::string highlight_chosen(std::span<const std::string> words, std::span<const double> weights,
                             const Screen& screen) {
  check_counts(words, weights);
  return words.empty() ? "\n" : highlighted(words, weights, chosen_runs(weights), screen);
}

}  // namespace heed::insight
