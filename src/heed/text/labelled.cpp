// SPDX-License-Identifier: Apache-2.0
// Cutting a line into labels and texts, and texts into tokens.
#include "heed/text/labelled.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/text/sentences.h"
#include "heed/text/white_space.h"

namespace heed::text {
namespace {

DataError wrong(const std::string& where, std::string_view line, std::string_view what) {
  return DataError("{}: {} in \"{}\"", where, what, shorten(one_line(line), 40));
}

// "LABEL<TAB>TEXT"
std::string wanted_row(const LabelledForm& form) {
  const std::string between =
      form.table.separator == '\t' ? "<TAB>" : std::string(1, form.table.separator);
  std::string wanted = form.aspects == 1 ? "LABEL" + between : "";
  for (std::size_t i = 0; form.aspects > 1 && i < form.aspects; ++i) {
    wanted += fmt::format("LABEL{}{}", i + 1, between);
  }
  return wanted + (form.second ? "TEXT" + between + "SECOND TEXT" : "TEXT");
}

// What a row of another width may be: labels or a text that training does not expect, columns to
// choose from, a table that is written otherwise.
std::string width_remedy(const LabelledForm& form, std::string_view row, std::size_t found) {
  if (form.table.separator == '\t' && !form.table.quotes && found == 1 &&
      row.find_first_of(",;") != row.npos) {
    return "; is this CSV? Then give --format csv";
  }
  if (form.aspects == 0 && form.columns == 0 && found > form.needed()) {
    return "; say which one to read with --text-column";
  }
  if (form.format == LabelledFormat::csv) {
    return fmt::format("; a field that holds \"{}\" must be in quotes", form.table.separator);
  }
  if (found <= form.needed()) return "";
  return fmt::format(
      "; training takes further labels with --aspects{}, or the columns that --label-column and "
      "--text-column choose; write a tab inside a text as a space",
      form.second ? "" : " and a second text with --second");
}

// Checked in the same way wherever its labels and texts come from: in the order of
// LabelledForm::places. A row without any text is none.
std::vector<LabelledText> from_fields(const LabelledForm& form, std::vector<std::string> fields,
                                      std::string_view row, const std::string& where) {
  LabelledText result{.text = one_line(fields[form.aspects])};
  if (form.second) result.second = one_line(fields[form.aspects + 1]);
  for (std::size_t i = 0; i < form.aspects; ++i) result.labels.push_back(squeezed(fields[i]));
  const bool no_text = words_of(result.text).empty();
  const bool no_second = form.second && words_of(result.second).empty();
  if (no_text && (no_second || !form.second) &&
      std::ranges::all_of(result.labels, &std::string::empty)) {
    return {};
  }
  for (std::size_t i = 0; i < form.aspects; ++i) {
    if (!result.labels[i].empty()) continue;
    throw wrong(
        where, row,
        form.places.empty() && form.keys.empty()
            ? fmt::format("label {} is missing; each line must be {},", i + 1, wanted_row(form))
            : fmt::format("label {} is missing; give it, or leave the row out,", i + 1));
  }
  if (no_text || no_second) {
    throw wrong(where, row,
                form.aspects > 0 ? "a label without text: give the text, or leave the line out,"
                                 : "one text where two are compared: give both, or leave it out,");
  }
  return {std::move(result)};
}

std::vector<LabelledText> from_table(const LabelledForm& form, std::string_view row,
                                     const std::string& where) {
  std::vector<std::string> fields;
  if (form.table.quotes) {
    fields = fields_of(row, form.table, where);
  } else {
    const std::vector<std::string_view> views = split(row, form.table.separator);
    fields.assign(views.begin(), views.end());
  }
  const std::size_t wanted = form.columns > 0 ? form.columns : form.needed();
  if (fields.size() != wanted) {
    const std::string count =
        fmt::format("{} column{}", fields.size(), fields.size() == 1 ? "" : "s");
    const std::string right = form.header || wanted != form.needed()
                                  ? fmt::format("where the first row has {}", wanted)
                                  : "where each line must be " + wanted_row(form);
    throw wrong(where, row,
                fmt::format("{} {}{},", count, right, width_remedy(form, row, fields.size())));
  }
  if (form.places.empty()) return from_fields(form, std::move(fields), row, where);
  std::vector<std::string> chosen;
  for (const std::size_t place : form.places) chosen.push_back(fields[place]);
  return from_fields(form, std::move(chosen), row, where);
}

std::vector<LabelledText> from_object(const LabelledForm& form, std::string_view line,
                                      const std::string& where) {
  if (form.keys.size() != form.needed()) {
    throw UsageError(
        "labelled_texts: jsonl with {} keys; it takes {}, as labelled_form() finds them",
        form.keys.size(), form.needed());
  }
  const nlohmann::json object = nlohmann::json::parse(line, nullptr, false);
  if (!object.is_object()) {
    throw wrong(where, line,
                object.is_discarded() ? "no JSON; each line must be an object,"
                                      : "no JSON object, as each line must be,");
  }
  std::vector<std::string> fields;
  for (std::size_t i = 0; i < form.keys.size(); ++i) {
    const auto value = object.find(form.keys[i]);
    const bool label = i < form.aspects;
    if (value == object.end() || value->is_null()) {
      throw wrong(where, line, fmt::format("no field \"{}\"", form.keys[i]));
    }
    if (value->is_string()) {
      fields.push_back(value->get<std::string>());
    } else if (label && (value->is_number() || value->is_boolean())) {
      fields.push_back(value->dump());
    } else {
      throw wrong(where, line,
                  fmt::format("the field \"{}\" is {}, and must be {},", form.keys[i],
                              value->type_name(), label ? "a text or a number" : "a text"));
    }
    if (fields.back().find('\0') != std::string::npos) {
      throw wrong(where, line, fmt::format("NUL in the field \"{}\"", form.keys[i]));
    }
  }
  return from_fields(form, std::move(fields), line, where);
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

std::vector<LabelledText> labelled_texts(const LabelledForm& form, std::string_view line,
                                         const std::string& name, std::uint64_t number) {
  const std::string where = fmt::format("{}:{}", name, number);
  switch (form.format) {
    case LabelledFormat::automatic:
      throw InternalError("labelled_texts: a format that is not known yet");
    case LabelledFormat::tsv:
    case LabelledFormat::csv:
      return from_table(form, line, where);
    case LabelledFormat::jsonl:
      return from_object(form, line, where);
    case LabelledFormat::labelled:
      return {from_first_word(line, where)};
    case LabelledFormat::trees:
      return from_tree(form, line, where);
  }
  throw InternalError("labelled_texts: an unknown format");
}

Encoding encode_text(const Tokeniser& tokeniser, std::string_view text, TextShape shape) {
  Encoding whole;
  // `first` is the word of the text that the part begins in.
  const auto add = [&](std::string_view part, int first) {
    const Encoding encoded = tokeniser.encode(part);
    if (encoded.tokens.empty()) return;
    for (std::size_t i = 0; i < encoded.tokens.size(); ++i) {
      whole.tokens.push_back(encoded.tokens[i]);
      whole.words.push_back(first + encoded.words[i]);
    }
    whole.tokens.push_back(kEnd);
    whole.words.push_back(-1);
  };
  if (shape != TextShape::document) {
    add(text, 0);
  } else {
    const std::vector<std::string_view> sentences = sentences_of(text);
    std::vector<ByteSpan> spans;
    for (const std::string_view sentence : sentences) {
      const auto begin = static_cast<std::size_t>(sentence.data() - text.data());
      spans.push_back({begin, begin + sentence.size()});
    }
    const std::vector<int> first = words_at(text, spans);
    for (std::size_t i = 0; i < sentences.size(); ++i) add(sentences[i], first[i]);
  }
  if (whole.tokens.empty()) whole = {{kEnd}, {-1}};
  if (shape == TextShape::framed) {
    whole.tokens.insert(whole.tokens.begin(), kBegin);
    whole.words.insert(whole.words.begin(), -1);
  }
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
  const std::vector<LabelledText> texts = labelled_texts(form, line.source, name, line.line);
  // A tree may be neutral; a row of empty fields is an empty line.
  if (texts.empty() && form.format != LabelledFormat::trees) result.outcome = Outcome::empty;
  for (const LabelledText& example : texts) {
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
