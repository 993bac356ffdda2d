// SPDX-License-Identifier: Apache-2.0
// Lines of heads beside texts, and what words and tokens have of each other.
#include "heed/pipeline/classify/gold_trees.h"

#include <algorithm>

#include "heed/base/error.h"
#include "heed/pipeline/classify/lines_beside.h"
#include "heed/text/pairs.h"
#include "heed/text/white_space.h"

namespace heed::pipeline {
namespace {

// The first token of each word; a word without one has that of the word before.
std::vector<std::int32_t> first_tokens(std::span<const int> word_of_token, std::size_t count) {
  std::vector<std::int32_t> first(count, -1);
  for (std::size_t t = 0; t < word_of_token.size(); ++t) {
    if (word_of_token[t] < 0) continue;
    std::int32_t& mine = first[static_cast<std::size_t>(word_of_token[t])];
    if (mine < 0) mine = static_cast<std::int32_t>(t);
  }
  for (std::size_t w = 0; w < count; ++w) {
    if (first[w] < 0) first[w] = w > 0 ? first[w - 1] : 0;
  }
  return first;
}

}  // namespace

std::vector<text::Heads> read_trees(const std::filesystem::path& path,
                                    std::span<const text::LabelledText> texts,
                                    const std::filesystem::path& data) {
  std::vector<text::Heads> trees;
  read_beside(path, texts.size(), data,
              [&](std::size_t i, const std::string& line, const std::string& where) {
                const std::size_t words = text::words_of(texts[i].text).size();
                trees.push_back(text::parse_heads(line, where));
                const std::size_t heads = trees.back().size();
                if (heads == words) return;
                throw DataError(
                    "{}: {} head{} for the {} word{} of text {} of {}; it takes one for each",
                    where, heads, heads == 1 ? "" : "s", words, words == 1 ? "" : "s", i + 1,
                    data.string());
              });
  return trees;
}

text::Heads token_heads(const text::Heads& words, std::span<const int> word_of_token) {
  const std::vector<std::int32_t> first = first_tokens(word_of_token, words.size());
  text::Heads heads;
  for (std::size_t t = 0; t < word_of_token.size(); ++t) {
    if (word_of_token[t] < 0) continue;  // an end
    const auto word = static_cast<std::size_t>(word_of_token[t]);
    const bool leads = first[word] == static_cast<std::int32_t>(t);
    heads.push_back(leads ? first[static_cast<std::size_t>(words[word])] : first[word]);
  }
  return heads;
}

text::Heads word_heads(std::span<const std::int32_t> tokens, std::span<const int> word_of_token,
                       std::size_t count) {
  const std::vector<std::int32_t> first = first_tokens(word_of_token, count);
  text::Heads heads;
  for (std::size_t w = 0; w < count; ++w) {
    const auto lead = static_cast<std::size_t>(first[w]);
    // Cropped away: it hangs on nothing that is known.
    const std::int32_t head = lead < tokens.size() ? tokens[lead] : -1;
    heads.push_back(head < 0 ? static_cast<std::int32_t>(w)
                             : word_of_token[static_cast<std::size_t>(head)]);
  }
  return heads;
}

GoldTrees::GoldTrees(const std::filesystem::path& path, const std::filesystem::path& data,
                     const text::LabelledForm& form, const text::Tokeniser& tokeniser) {
  std::vector<text::LabelledText> texts;
  std::vector<std::uint64_t> lines;
  text::PairReader reader(text::labelled_lines(data, form));
  for (text::LinePair line; reader.next(line);) {
    for (text::LabelledText& one :
         text::labelled_texts(form, line.source, reader.name(), line.line)) {
      texts.push_back(std::move(one));
      lines.push_back(line.line);
    }
  }
  const std::vector<text::Heads> trees = read_trees(path, texts, data);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    by_line_[lines[i]] = token_heads(trees[i], tokeniser.encode(texts[i].text).words);
  }
}

TreeTargets tree_targets(std::span<const text::Heads* const> trees, const text::TokenRows& texts) {
  TreeTargets targets{Ids::full({texts.rows, texts.width}, -1), Ids::zeros({texts.rows})};
  for (std::int64_t b = 0; b < texts.rows; ++b) {
    const text::Heads& mine = *trees[static_cast<std::size_t>(b)];
    const auto words = static_cast<std::int32_t>(mine.size());
    if (words == 0 || words + 1 != texts.lengths[static_cast<std::size_t>(b)]) continue;
    std::ranges::copy(mine, targets.heads.mutable_data() + b * texts.width);
    targets.words.mutable_data()[b] = words;
  }
  return targets;
}

void TreeQuality::add(const text::Heads& gold, const text::Heads& found) {
  const std::size_t before = static_cast<std::size_t>(right);
  const auto last = static_cast<std::int32_t>(gold.size()) - 1;
  for (std::int32_t w = 0; w <= last; ++w) {
    const std::int32_t head = gold[static_cast<std::size_t>(w)];
    right += found[static_cast<std::size_t>(w)] == head ? 1 : 0;
    left_branching += head == std::min(w + 1, last) ? 1 : 0;
    right_branching += head == std::max(w - 1, 0) ? 1 : 0;
  }
  words += static_cast<double>(gold.size());
  ++trees;
  if (static_cast<std::size_t>(right) - before == gold.size()) ++whole;
}

TreeQuality tree_quality(std::span<const text::Heads> gold, std::span<const Classification> found) {
  if (gold.size() != found.size()) {
    throw UsageError("trees: {} for {} texts; it takes one for each", gold.size(), found.size());
  }
  TreeQuality quality;
  for (std::size_t i = 0; i < gold.size(); ++i) {
    if (found[i].heads.size() != gold[i].size()) {
      throw UsageError("trees: none found in text {}; train a model with --syntax", i + 1);
    }
    quality.add(gold[i], found[i].heads);
  }
  return quality;
}

}  // namespace heed::pipeline
