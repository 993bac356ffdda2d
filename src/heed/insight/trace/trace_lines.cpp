// SPDX-License-Identifier: Apache-2.0
// Fields by bars, rows of weights by spaces or lines; nothing is taken on trust.
#include "heed/insight/trace/trace_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>

#include "heed/base/error.h"
#include "heed/base/text.h"

namespace heed::insight {
namespace {

constexpr std::string_view kBars = "|||";
constexpr const char* kEnd = "</s>";

// The lines of a text, without the ends; none for what follows the last end.
std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    if (end == text.npos) break;
    text.remove_prefix(end + 1);
  }
  return lines;
}

std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields;
  for (;;) {
    const std::size_t bars = line.find(kBars);
    fields.push_back(trim(line.substr(0, bars)));
    if (bars == line.npos) return fields;
    line.remove_prefix(bars + kBars.size());
  }
}

std::vector<std::string_view> split_at(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    if (separator != ' ' || end != 0) {
      if (separator != ' ' || !text.empty()) parts.push_back(text.substr(0, end));
    }
    if (end == text.npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::vector<std::string> tokens_of(std::string_view text) {
  std::vector<std::string> tokens;
  for (const std::string_view token : split_at(text, ' ')) tokens.emplace_back(token);
  return tokens;
}

bool is_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

Real weight_of(std::string_view text, const std::string& where) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  if (!whole || !(value >= 0) || std::isinf(value)) {
    throw DataError("{}: \"{}\" where a weight belongs: a number from 0 on", where,
                    shorten(text, 20));
  }
  return static_cast<Real>(value);
}

// Rows of weights between two sides.
struct Block {
  std::string where;  // file and line
  std::vector<std::string> source;
  std::vector<std::string> target;
  std::vector<std::vector<Real>> rows;
};

// The side's tokens, with the end that `count` rows or columns may have besides.
TokenStrip strip_for(const char* name, std::vector<std::string> tokens, std::size_t count,
                     const std::string& where) {
  if (count == tokens.size() + 1) tokens.emplace_back(kEnd);
  if (count != tokens.size()) {
    throw DataError(
        "{}: {} {} of weights for {} tokens of the {}: there must be as many, or one more for the "
        "end (of subwords, print the pieces: marian-decoder --no-spm-decode)",
        where, count, std::string_view(name) == "source" ? "columns" : "rows", tokens.size(), name);
  }
  TokenStrip strip{.name = name, .tokens = std::move(tokens)};
  strip.words = words_of_pieces(strip.tokens);
  return strip;
}

TracedExample example_of(const Block& block) {
  const std::size_t columns = block.rows.empty() ? 0 : block.rows.front().size();
  for (std::size_t i = 0; i < block.rows.size(); ++i) {
    if (block.rows[i].size() != columns) {
      throw DataError("{}: row {} has {} weights, the first has {}", block.where, i + 1,
                      block.rows[i].size(), columns);
    }
  }
  TracedExample example{.title = join(block.source, " ")};
  example.strips.push_back(strip_for("source", block.source, columns, block.where));
  example.strips.push_back(strip_for("target", block.target, block.rows.size(), block.where));
  Tensor weights(
      {static_cast<std::int64_t>(block.rows.size()), static_cast<std::int64_t>(columns)});
  Real* out = weights.mutable_data();
  for (const std::vector<Real>& row : block.rows) out = std::ranges::copy(row, out).out;
  example.attentions.push_back({.kind = "cross",
                                .queries = "target",
                                .keys = "source",
                                .stepwise = true,
                                .heads = {{.weights = weights}}});
  return example;
}

TraceDocument checked(TraceDocument document, const std::string& name) {
  document.task = "translate";
  try {
    check(document, name);
  } catch (const UsageError& error) {
    throw DataError(error.what());
  }
  return document;
}

}  // namespace

std::vector<int> words_of_pieces(const std::vector<std::string>& pieces) {
  constexpr std::string_view kBar = "▁";
  constexpr std::string_view kGoesOn = "@@";
  const auto begins = [&](const std::string& piece) { return piece.starts_with(kBar); };
  const auto goes_on = [&](const std::string& piece) { return piece.ends_with(kGoesOn); };
  const bool bars = std::ranges::any_of(pieces, begins);
  if (!bars && std::ranges::none_of(pieces, goes_on)) {
    if (std::ranges::count(pieces, kEnd) == 0) return {};
  }
  std::vector<int> words;
  int word = -1;
  bool open = false;  // the last piece continues
  for (const std::string& piece : pieces) {
    if (piece == kEnd) {
      words.push_back(-1);
      open = false;
      continue;
    }
    const bool new_word = bars ? begins(piece) || word < 0 : !open;
    if (new_word) ++word;
    words.push_back(word);
    open = goes_on(piece);
  }
  return words;
}

bool looks_like_nematus(std::string_view text) {
  const std::vector<std::string_view> fields = fields_of(text.substr(0, text.find('\n')));
  return fields.size() == 5 && std::ranges::all_of(split_at(fields[4], ' '), is_number);
}

bool looks_like_marian(std::string_view text) {
  const std::vector<std::string_view> fields = fields_of(text.substr(0, text.find('\n')));
  if (fields.size() != 2) return false;
  const std::vector<std::string_view> rows = split_at(fields[1], ' ');
  return !rows.empty() && std::ranges::all_of(split_at(rows.front(), ','), is_number);
}

TraceDocument parse_marian(const NamedText& dump, const NamedText& sources) {
  const std::vector<std::string_view> lines = lines_of(dump.text);
  const std::vector<std::string_view> sentences = lines_of(sources.text);
  if (lines.size() != sentences.size()) {
    throw DataError("{} has {} lines, and {} {}: it takes the source sentence of each line",
                    dump.name, lines.size(), sources.name, sentences.size());
  }
  TraceDocument document;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    Block block{.where = fmt::format("{}:{}", dump.name, i + 1),
                .source = tokens_of(sentences[i]),
                .target = {},
                .rows = {}};
    const std::vector<std::string_view> fields = fields_of(lines[i]);
    if (fields.size() != 2) {
      throw DataError(
          "{}: {} fields between {}; soft alignments have two, the text and its weights",
          block.where, fields.size(), kBars);
    }
    block.target = tokens_of(fields[0]);
    for (const std::string_view row : split_at(fields[1], ' ')) {
      std::vector<Real>& weights = block.rows.emplace_back();
      for (const std::string_view cell : split_at(row, ',')) {
        weights.push_back(weight_of(cell, block.where));
      }
    }
    document.examples.push_back(example_of(block));
  }
  return checked(std::move(document), dump.name);
}

TraceDocument parse_nematus(const NamedText& dump) {
  const std::vector<std::string_view> lines = lines_of(dump.text);
  TraceDocument document;
  for (std::size_t i = 0; i < lines.size();) {
    if (trim(lines[i]).empty()) {
      ++i;
      continue;
    }
    Block block{
        .where = fmt::format("{}:{}", dump.name, i + 1), .source = {}, .target = {}, .rows = {}};
    const std::vector<std::string_view> fields = fields_of(lines[i++]);
    if (fields.size() != 5) {
      throw DataError(
          "{}: {} fields between {}; a block begins with five: number, target, score, source, and "
          "the sizes of both",
          block.where, fields.size(), kBars);
    }
    block.target = tokens_of(fields[1]);
    block.source = tokens_of(fields[3]);
    for (; i < lines.size() && !trim(lines[i]).empty(); ++i) {
      std::vector<Real>& weights = block.rows.emplace_back();
      const std::string where = fmt::format("{}:{}", dump.name, i + 1);
      for (const std::string_view cell : split_at(trim(lines[i]), ' ')) {
        weights.push_back(weight_of(cell, where));
      }
    }
    // The sizes count the ends, or do not.
    const std::vector<std::string_view> sizes = split_at(fields[4], ' ');
    const auto fits = [](std::string_view size, std::size_t tokens) {
      return size == std::to_string(tokens) || size == std::to_string(tokens + 1);
    };
    if (sizes.size() != 2 || !fits(sizes[0], block.source.size()) ||
        !fits(sizes[1], block.target.size())) {
      throw DataError("{}: the sizes are \"{}\", but there are {} source and {} target tokens",
                      block.where, fields[4], block.source.size(), block.target.size());
    }
    document.examples.push_back(example_of(block));
  }
  return checked(std::move(document), dump.name);
}

}  // namespace heed::insight
