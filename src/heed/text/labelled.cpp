// SPDX-License-Identifier: Apache-2.0
// Cutting a line into labels and texts, and texts into tokens.
#include "heed/text/labelled.h"

#include <algorithm>
#include <utility>

#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/text/sentences.h"
#include "heed/text/white_space.h"

namespace heed::text {
namespace {

DataError wrong(const std::string& where, std::string_view line, std::string_view what) {
  return DataError("{}: {} in \"{}\"", where, what, shorten(line, 40));
}

std::string tsv_line(const LabelledForm& form) {
  std::string wanted = form.aspects == 1 ? "LABEL<TAB>" : "";
  for (std::size_t i = 0; form.aspects > 1 && i < form.aspects; ++i) {
    wanted += fmt::format("LABEL{}<TAB>", i + 1);
  }
  return wanted + (form.second ? "TEXT<TAB>SECOND TEXT" : "TEXT");
}

// What the columns too many may be: labels or a text that training does not expect.
std::string further_columns(const LabelledForm& form) {
  return fmt::format(
      "training takes further labels with --aspects{}; write a tab inside a text as a space",
      form.second ? "" : " and a second text with --second");
}

LabelledText from_tsv(const LabelledForm& form, std::string_view line, const std::string& where) {
  const std::vector<std::string_view> columns = split(line, '\t');
  const std::size_t wanted = form.aspects + (form.second ? 2 : 1);
  if (columns.size() != wanted) {
    std::string what = fmt::format("{} column{} where each line must be {}", columns.size(),
                                   columns.size() == 1 ? "" : "s", tsv_line(form));
    if (columns.size() > wanted) what += "; " + further_columns(form);
    throw wrong(where, line, what + ",");
  }
  LabelledText result{.text = std::string(columns[form.aspects])};
  for (std::size_t i = 0; i < form.aspects; ++i) {
    result.labels.emplace_back(trim(columns[i]));
    if (result.labels.back().empty()) {
      throw wrong(where, line,
                  fmt::format("label {} is missing; each line must be {},", i + 1, tsv_line(form)));
    }
  }
  if (form.second) result.second = std::string(columns[form.aspects + 1]);
  if (words_of(result.text).empty() || (form.second && words_of(result.second).empty())) {
    throw wrong(where, line, "a label without text: give the text, or leave the line out,");
  }
  return result;
}

LabelledText from_first_word(std::string_view line, const std::string& where) {
  const std::string_view text = trim(line);
  const std::size_t space = text.find_first_of(" \t");
  if (space == text.npos) {
    throw wrong(where, line, "one word only, where each line must be a label and a text,");
  }
  return {.labels = {std::string(text.substr(0, space))},
          .text = std::string(trim(text.substr(space)))};
}

// Brackets of Penn's treebank as they are in plain text.
std::string plain_word(std::string_view word) {
  if (word == "-LRB-") return "(";
  if (word == "-RRB-") return ")";
  return std::string(word);
}

constexpr std::size_t kMostPhraseBytes = 16 * 1024 * 1024;

// Phrases in the order their brackets close, so that the whole sentence comes last. A stack instead
// of recursion: no line can make it overflow.
std::vector<LabelledText> from_tree(const LabelledForm& form, std::string_view line,
                                    const std::string& where) {
  struct Open {
    char label;
    std::size_t first_word;
  };
  std::vector<LabelledText> phrases;
  std::vector<Open> open;
  std::vector<std::string> words;
  bool closed = false;
  std::size_t bytes = 0;  // of all phrases, each of which repeats those inside it
  const auto fail = [&](std::string_view what) { return wrong(where, line, what); };
  for (std::size_t at = 0; at < line.size();) {
    const char c = line[at];
    if (c == ' ') {
      ++at;
    } else if (closed) {
      throw fail("text after the tree's last bracket");
    } else if (c == '(') {
      if (at + 2 >= line.size() || line[at + 1] < '0' || line[at + 1] > '4' ||
          line[at + 2] != ' ') {
        throw fail("a bracket without a label from 0 to 4");
      }
      open.push_back({line[at + 1], words.size()});
      at += 3;
    } else if (c == ')') {
      if (open.empty()) throw fail("a bracket that closes nothing");
      const Open phrase = open.back();
      open.pop_back();
      if (phrase.first_word == words.size()) throw fail("brackets without a word");
      closed = open.empty();
      if (phrase.label != '2' && (closed || form.phrases)) {
        phrases.push_back({.labels = {phrase.label < '2' ? "negative" : "positive"},
                           .text = join(std::span(words).subspan(phrase.first_word), " ")});
        bytes += phrases.back().text.size();
        if (bytes > kMostPhraseBytes)
          throw fail("phrases inside phrases, too many for a sentence,");
      }
      ++at;
    } else {
      if (open.empty()) throw fail("a word outside the tree's brackets");
      const std::size_t end = std::min(line.find_first_of(" ()", at), line.size());
      words.push_back(plain_word(line.substr(at, end - at)));
      at = end;
    }
  }
  if (!closed) throw fail("a tree whose last bracket is missing");
  return phrases;
}

}  // namespace

const std::vector<std::string>& labelled_format_names() {
  static const std::vector<std::string> names = {"tsv", "labelled", "trees"};
  return names;
}

std::vector<LabelledText> labelled_texts(const LabelledForm& form, std::string_view line,
                                         const std::string& name, std::uint64_t number) {
  const std::string where = fmt::format("{}:{}", name, number);
  switch (form.format) {
    case LabelledFormat::tsv:
      return {from_tsv(form, line, where)};
    case LabelledFormat::labelled:
      return {from_first_word(line, where)};
    case LabelledFormat::trees:
      return from_tree(form, line, where);
  }
  throw InternalError("labelled_texts: an unknown format");
}

Encoding encode_text(const Tokeniser& tokeniser, std::string_view text, TextShape shape) {
  Encoding whole;
  const auto add = [&](std::string_view part) {
    const Encoding encoded = tokeniser.encode(part);
    if (encoded.tokens.empty()) return;
    const auto before = static_cast<int>(
        words_of(text.substr(0, static_cast<std::size_t>(part.data() - text.data()))).size());
    for (std::size_t i = 0; i < encoded.tokens.size(); ++i) {
      whole.tokens.push_back(encoded.tokens[i]);
      whole.words.push_back(before + encoded.words[i]);
    }
    whole.tokens.push_back(kEnd);
    whole.words.push_back(-1);
  };
  if (shape == TextShape::line) {
    add(text);
  } else {
    for (const std::string_view sentence : sentences_of(text)) add(sentence);
  }
  if (whole.tokens.empty()) whole = {{kEnd}, {-1}};
  return whole;
}

EncodedPair LabelledEncoder::operator()(const LinePair& line) const {
  EncodedPair result;
  const auto most = static_cast<std::size_t>(limit.max_length);
  const auto crop = [most](Tokens& tokens) {
    if (tokens.size() <= most + 1) return;
    tokens.resize(most);
    if (tokens.back() != kEnd) tokens.push_back(kEnd);
  };
  for (const LabelledText& example : labelled_texts(form, line.source, name, line.line)) {
    TokenPair pair{
        .source = encode_text(*tokeniser, example.text, shape).tokens,
        .line = line.line,
        .labels = labels->classes_of(example.labels, fmt::format("{}:{}", name, line.line))};
    if (form.second) {
      pair.target = encode_text(*tokeniser, example.second, TextShape::line).tokens;
    }
    const std::size_t longer = std::max(pair.source.size(), pair.target.size()) - 1;
    if (most > 0 && longer > most) {
      if (limit.too_long == TooLong::fail) {
        throw DataError(
            "{}:{}: a text of {} tokens, and at most {} are allowed; raise --max-length, or choose "
            "--too-long crop or skip",
            name, line.line, longer, most);
      }
      result.outcome = limit.too_long == TooLong::crop ? Outcome::cropped : Outcome::skipped;
      if (result.outcome == Outcome::skipped) continue;
      crop(pair.source);
      crop(pair.target);
    }
    result.pairs.push_back(std::move(pair));
  }
  return result;
}

}  // namespace heed::text
