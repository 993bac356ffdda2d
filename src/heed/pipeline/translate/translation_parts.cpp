// SPDX-License-Identifier: Apache-2.0
// Cutting by sentences and words; joining by blocks on a diagonal.
#include "heed/pipeline/translate/translation_parts.h"

#include <algorithm>
#include <cmath>

#include "heed/base/error.h"
#include "heed/text/sentences.h"
#include "heed/text/white_space.h"

namespace heed::pipeline {
namespace {

// From the beginning of one view to the end of another of the same text.
std::string_view from_to(std::string_view first, std::string_view last) {
  return {first.data(), static_cast<std::size_t>(last.data() + last.size() - first.data())};
}

// A sentence in pieces of at most `most` tokens, cut between its words.
std::vector<std::string_view> pieces_of_sentence(std::string_view sentence,
                                                 const text::Tokeniser& tokeniser,
                                                 std::int64_t most) {
  const text::Encoding encoding = tokeniser.encode(sentence);
  if (static_cast<std::int64_t>(encoding.tokens.size()) <= most) return {sentence};
  const std::vector<std::string_view> words = text::words_of(sentence);
  std::vector<std::int64_t> tokens(words.size(), 0);
  for (const int word : encoding.words) {
    if (word >= 0 && static_cast<std::size_t>(word) < words.size()) {
      ++tokens[static_cast<std::size_t>(word)];
    }
  }
  // Of equal size, so that the last is no stump.
  const auto count = static_cast<std::int64_t>(encoding.tokens.size());
  const std::int64_t share = (count + (count - 1) / most) / ((count - 1) / most + 1);
  std::vector<std::string_view> pieces;
  std::size_t first = 0;
  std::int64_t size = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > first && (size + tokens[i] > most || size >= share)) {
      pieces.push_back(from_to(words[first], words[i - 1]));
      first = i;
      size = 0;
    }
    size += tokens[i];
  }
  if (first < words.size()) pieces.push_back(from_to(words[first], words.back()));
  return pieces;
}

// Blocks on the diagonal of [rows,columns], each [...,r,c] of a part; elsewhere `between`.
Tensor diagonal(std::span<const Tensor> blocks, Real between) {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  for (const Tensor& block : blocks) {
    rows += block.size(-2);
    columns += block.size(-1);
  }
  const bool heads = blocks.front().rank() == 3;
  const std::int64_t depth = heads ? blocks.front().size(0) : 1;
  Tensor whole = Tensor::full(heads ? Shape{depth, rows, columns} : Shape{rows, columns}, between);
  Real* const all = whole.mutable_data();
  std::int64_t row = 0;
  std::int64_t column = 0;
  for (const Tensor& block : blocks) {
    const Tensor packed = block.packed();
    const Real* from = packed.data();
    for (std::int64_t head = 0; head < depth; ++head) {
      for (std::int64_t i = 0; i < block.size(-2); ++i) {
        std::copy_n(from, block.size(-1), all + (head * rows + row + i) * columns + column);
        from += block.size(-1);
      }
    }
    row += block.size(-2);
    column += block.size(-1);
  }
  return whole;
}

// Places of one part's words in the whole.
struct Offset {
  int source = 0;
  int target = 0;
};

std::vector<int> moved(std::vector<int> words, int by) {
  for (int& word : words) word = word < 0 ? word : word + by;
  return words;
}

insight::TracedExample joined_trace(std::span<Translation> parts, std::span<const Offset> offsets,
                                    const std::string& title) {
  insight::TracedExample whole{.title = title};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const insight::TracedExample& part = parts[i].trace;
    if (i == 0) {
      whole.strips = part.strips;
      whole.attentions = part.attentions;
      for (insight::TokenStrip& strip : whole.strips) strip.tokens.clear(), strip.words.clear();
    }
    for (std::size_t s = 0; s < whole.strips.size(); ++s) {
      insight::TokenStrip& strip = whole.strips[s];
      const insight::TokenStrip& mine = part.strips.at(s);
      const bool source = strip.name.starts_with("source");
      const std::vector<int> words =
          moved(mine.words, source ? offsets[i].source : offsets[i].target);
      strip.tokens.insert(strip.tokens.end(), mine.tokens.begin(), mine.tokens.end());
      strip.words.insert(strip.words.end(), words.begin(), words.end());
    }
  }
  for (std::size_t a = 0; a < whole.attentions.size(); ++a) {
    for (std::size_t h = 0; h < whole.attentions[a].heads.size(); ++h) {
      std::vector<Tensor> blocks;
      for (const Translation& part : parts) {
        blocks.push_back(part.trace.attentions.at(a).heads.at(h).weights);
      }
      whole.attentions[a].heads[h].weights = diagonal(blocks, insight::kMasked);
    }
  }
  return whole;
}

// Weights of words; a word that two parts share has both rows, or columns, added.
Tensor joined_words(std::span<Translation> parts, std::span<const Offset> offsets) {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    rows = std::max(rows, offsets[i].target + parts[i].word_weights.size(0));
    columns = std::max(columns, offsets[i].source + parts[i].word_weights.size(1));
  }
  Tensor whole = Tensor::zeros({rows, columns});
  Real* const all = whole.mutable_data();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Tensor& part = parts[i].word_weights;
    for (std::int64_t t = 0; t < part.size(0); ++t) {
      for (std::int64_t s = 0; s < part.size(1); ++s) {
        all[(offsets[i].target + t) * columns + offsets[i].source + s] += part.at({t, s});
      }
    }
  }
  return whole;
}

}  // namespace

std::vector<TextPart> parts_of(std::string_view text, const text::Tokeniser& tokeniser,
                               std::int64_t most) {
  std::vector<std::string_view> views;
  for (const std::string_view sentence : text::sentences_of(text)) {
    for (const std::string_view piece : pieces_of_sentence(sentence, tokeniser, most)) {
      // What normalising leaves nothing of, such as a lone zero-width space, is no part.
      if (!tokeniser.encode(piece).tokens.empty()) views.push_back(piece);
    }
  }
  const std::vector<std::string_view> words = text::words_of(text);
  std::vector<TextPart> parts;
  std::size_t word = 0;
  for (std::size_t i = 0; i < views.size(); ++i) {
    const char* const begin = views[i].data();
    while (word + 1 < words.size() && words[word + 1].data() <= begin) ++word;
    parts.push_back({.text = std::string(views[i]),
                     .first_word = static_cast<int>(word),
                     .joined = i > 0 && views[i - 1].data() + views[i - 1].size() == begin});
  }
  return parts;
}

double joined_cells(std::span<const Translation> translations) {
  double cells = 0;
  for (std::size_t a = 0; a < translations.front().attentions.size(); ++a) {
    double rows = 0;
    double columns = 0;
    for (const Translation& one : translations) {
      if (a >= one.attentions.size()) continue;
      rows += static_cast<double>(one.attentions[a].weights.size(1));
      columns += static_cast<double>(one.attentions[a].weights.size(2));
    }
    const bool traced = !translations.front().trace.strips.empty();
    const auto heads = static_cast<double>(translations.front().attentions[a].weights.size(0));
    cells += (traced ? 2 : 1) * heads * rows * columns;
  }
  return cells;
}

Translation joined(std::span<const TextPart> parts, std::span<Translation> translations,
                   const std::string& title) {
  if (parts.size() != translations.size() || parts.empty()) {
    throw InternalError("{} translations of {} parts", translations.size(), parts.size());
  }
  Translation whole{.parts = parts.size()};
  std::vector<Offset> offsets;
  bool looks = true;  // weights of all parts
  int before = 0;     // words so far
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Translation& part = translations[i];
    const bool glued = parts[i].joined || whole.text.empty() || part.text.empty();
    const bool shared = glued && !whole.text.empty() && !part.text.empty();  // a word of two parts
    offsets.push_back({.source = parts[i].first_word, .target = shared ? before - 1 : before});
    before += static_cast<int>(text::words_of(part.text).size()) - (shared ? 1 : 0);
    whole.text += (glued ? "" : " ") + part.text;
    whole.score += part.score;
    whole.log_probability += part.log_probability;
    whole.finished = whole.finished && part.finished;
    whole.longer = whole.longer || part.longer;
    const auto append = [](auto& to, const auto& from) {
      to.insert(to.end(), from.begin(), from.end());
    };
    append(whole.pieces, part.pieces);
    append(whole.token_log_probabilities, part.token_log_probabilities);
    append(whole.source_pieces, part.source_pieces);
    for (const text::Link& link : part.alignment) {
      text::Link mine = link;
      mine.source += offsets.back().source;
      mine.target += offsets.back().target;
      whole.alignment.push_back(mine);
    }
    looks = looks && part.weights.defined();
  }
  whole.alignment = text::ordered(std::move(whole.alignment));
  const auto blocks = [&](const auto& weights_of) {
    std::vector<Tensor> all;
    for (const Translation& part : translations) all.push_back(weights_of(part));
    return all;
  };
  if (looks) {
    whole.weights = diagonal(blocks([](const Translation& one) { return one.weights; }), 0);
    whole.word_weights = joined_words(translations, offsets);
  }
  for (std::size_t a = 0; a < translations.front().attentions.size(); ++a) {
    whole.attentions.push_back(
        {translations.front().attentions[a].site,
         diagonal(blocks([a](const Translation& one) { return one.attentions.at(a).weights; }),
                  attention::kMasked)});
  }
  if (!translations.front().trace.strips.empty()) {
    whole.trace = joined_trace(translations, offsets, title);
  }
  return whole;
}

}  // namespace heed::pipeline
