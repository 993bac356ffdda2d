// SPDX-License-Identifier: Apache-2.0
// Rows by token, set into one square when the text has ended.
#include "heed/pipeline/language/language_trace.h"

#include <algorithm>

#include "heed/base/error.h"
#include "heed/pipeline/surface.h"

namespace heed::pipeline {
void LanguageTrace::add(const attention::Trace& trace, const Piece& piece) {
  const auto& entries = trace.entries();
  for (const attention::Trace::Entry& entry : entries) {
    const bool known =
        std::ranges::any_of(sites_, [&](const Site& site) { return site.site == entry.site; });
    if (!known && !begun_) sites_.push_back({entry.site, {}});
  }
  begun_ = true;
  if (sites_.empty() ? !entries.empty() : entries.size() % sites_.size() != 0) {
    throw InternalError("language trace: {} attentions of {} sites; each piece leaves all",
                        entries.size(), sites_.size());
  }
  std::int64_t heads = 0, tokens = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Tensor& weights = entries[i].weights;  // [1,H,Q,K]
    if (i < sites_.size()) heads += weights.size(1);
    if (i % sites_.size() == 0) tokens += weights.size(2);
  }
  std::int64_t place = piece.read - tokens;  // of the first token of a segment
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Tensor weights = entries[i].weights.select(0, 0);
    const std::int64_t queries = weights.size(1);
    for (std::int64_t q = std::max<std::int64_t>(piece.read - piece.rows - place, 0); q < queries;
         ++q) {
      sites_[i % sites_.size()].rows.push_back(
          {weights.select(1, q).packed(), place + queries - 1});
    }
    if ((i + 1) % sites_.size() == 0) place += queries;
  }
  const std::int64_t read = piece.read;
  if (heads > 0 && read * read > kMostWeights / heads) {
    throw UsageError(
        "trace: {} tokens in {} heads are {} weights, more than the {} that a trace may have; give "
        "a shorter text",
        read, heads, read * read * heads, kMostWeights);
  }
}

insight::TracedExample LanguageTrace::finished(const Text& text) const {
  insight::TracedExample example{.title = text.title};
  example.strips.push_back({.name = "next", .tokens = text.next.pieces, .words = text.next.words});
  example.strips.push_back({.name = "text", .tokens = text.read.pieces, .words = text.read.words});
  const auto is_history = [](const Site& site) {
    return site.site.role == attention::Role::history;
  };
  const bool history = std::ranges::any_of(sites_, is_history);
  if (history && !text.read.pieces.empty()) {
    insight::TokenStrip past{.name = "past", .tokens = {"start"}, .words = {-1}};
    past.tokens.insert(past.tokens.end(), text.read.pieces.begin(), text.read.pieces.end() - 1);
    past.words.insert(past.words.end(), text.read.words.begin(), text.read.words.end() - 1);
    example.strips.push_back(std::move(past));
  }
  std::vector<decoding::AttentionPath> paths;
  for (const Site& site : sites_) {
    const auto size = static_cast<std::int64_t>(site.rows.size());
    if (size == 0) continue;
    // Key 0 of "past" is the state before the text: all others are one further on.
    const std::int64_t shift = is_history(site) ? 1 : 0;
    const std::int64_t heads = site.rows.front().weights.size(0);
    Tensor all = Tensor::full({heads, size, size}, attention::kMasked);
    for (std::int64_t q = 0; q < size; ++q) {
      const Row& row = site.rows[static_cast<std::size_t>(q)];
      const std::int64_t keys = row.weights.size(1);
      const std::int64_t first = row.last + 1 - keys + shift;
      for (std::int64_t h = 0; h < heads; ++h) {
        for (std::int64_t k = std::max<std::int64_t>(-first, 0); k < keys; ++k) {
          if (first + k >= size) break;  // the state after the last token: nothing sees it
          all.mutable_data()[(h * size + q) * size + first + k] = row.weights.data()[h * keys + k];
        }
      }
    }
    paths.push_back({site.site, std::move(all)});
  }
  add_attentions(example, paths);
  return example;
}

void show_surface(insight::TracedExample& example, const text::Tokeniser& tokeniser,
                  std::span<const text::Token> tokens, std::string_view text) {
  const std::vector<std::string> pieces = surface_of_lines(tokeniser, text, tokens);
  for (insight::TokenStrip& strip : example.strips) {
    // "next" begins with the first token, "text" one later, and "past" two.
    const std::size_t late = strip.name == "next" ? 0 : strip.name == "text" ? 1 : 2;
    for (std::size_t i = late; i < strip.tokens.size() && i - late < pieces.size(); ++i) {
      strip.tokens[i] = pieces[i - late];
    }
  }
}

TracedTokens traced_tokens(const text::Tokeniser& tokeniser, std::span<const text::Token> tokens,
                           std::string_view text) {
  TracedTokens traced{.pieces = surface_of_lines(tokeniser, text, tokens)};
  int words = 0;  // of the lines before
  for (auto line = tokens.begin(); line != tokens.end();) {
    const auto end = std::find(line, tokens.end(), text::kEnd);
    int last = -1;
    for (const int word : tokeniser.decode(std::span(line, end)).words) {
      last = std::max(last, word);
      traced.words.push_back(words + word);
    }
    words += last + 1;
    line = end;
    if (line == tokens.end()) break;
    traced.words.push_back(-1);
    ++line;
  }
  return traced;
}

}  // namespace heed::pipeline
