// SPDX-License-Identifier: Apache-2.0
// Formats by endings, headers by their words, columns by name and number.
#include "heed/text/labelled_form.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>

#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/text/lines.h"
#include "heed/text/white_space.h"

namespace heed::text {
namespace {

// What is looked at to tell how a file is written.
constexpr std::size_t kHeadLines = 1000;
constexpr std::size_t kHeadBytes = 1 << 20;

// Words that name columns, the likelier first.
constexpr std::array<std::string_view, 13> kLabelNames = {
    "label",  "labels", "class",    "category", "sentiment", "target",    "tag",
    "rating", "stars",  "polarity", "topic",    "intent",    "gold_label"};
constexpr std::array<std::string_view, 16> kTextNames = {
    "text",  "sentence", "review",    "comment", "content",   "message",  "document", "body",
    "tweet", "premise",  "utterance", "passage", "sentence1", "question", "text1",    "context"};
constexpr std::array<std::string_view, 9> kSecondNames = {"second",   "hypothesis", "sentence2",
                                                          "text2",    "question2",  "answer",
                                                          "question", "query",      "text_b"};

LabelledFormat format_of(std::filesystem::path path) {
  if (lower(path.extension().string()) == ".gz") path = path.stem();
  const std::string ending = lower(path.extension().string());
  if (ending == ".csv") return LabelledFormat::csv;
  if (ending == ".jsonl" || ending == ".ndjson" || ending == ".json") return LabelledFormat::jsonl;
  return LabelledFormat::tsv;
}

std::vector<std::string> head_of(const std::filesystem::path& path) {
  std::vector<std::string> lines;
  if (path == "-") return lines;  // it can be read once
  LineReader reader(path, BadLines::taken);
  std::size_t bytes = 0;
  for (std::string line; lines.size() < kHeadLines && bytes < kHeadBytes && reader.next(line);) {
    bytes += line.size();
    lines.push_back(line);
  }
  return lines;
}

// The first row with text, and its fields.
std::vector<std::string> first_row(const std::vector<std::string>& head, TableForm form,
                                   const std::string& name) {
  QuoteScanner scanner(form);
  std::string row;
  for (std::size_t i = 0; i < head.size(); ++i) {
    const bool open = scanner.open_after(head[i]);
    row += (row.empty() ? "" : "\n") + head[i];
    if (open && i + 1 < head.size()) continue;
    if (!trim(row).empty()) return fields_of(row, form, fmt::format("{}:1", name));
    row.clear();
  }
  return {};
}

std::string folded(std::string_view name) {
  return lower(trim(name));
}

std::optional<std::size_t> place_of(const std::vector<std::string>& names, std::string_view name) {
  const auto found =
      std::ranges::find_if(names, [&](const std::string& one) { return folded(one) == name; });
  if (found == names.end()) return {};
  return static_cast<std::size_t>(found - names.begin());
}

// The places of labels, text and second text, as far as they are known.
using Places = std::vector<std::optional<std::size_t>>;

void guess(Places& places, std::size_t which, const std::vector<std::string>& names,
           std::span<const std::string_view> words) {
  for (const std::string_view word : words) {
    if (places[which]) return;
    const auto found = place_of(names, word);
    if (found && std::ranges::find(places, found) == places.end()) places[which] = found;
  }
}

// By the names of aspects, then by words that such columns often have.
void guess_all(Places& places, const std::vector<std::string>& names, const LabelledNeeds& needs) {
  const std::size_t aspects = needs.aspects.size();
  for (std::size_t i = 0; i < aspects; ++i) {
    const std::string name = folded(needs.aspects[i]);
    guess(places, i, names, std::array{std::string_view(name)});
  }
  if (aspects == 1) guess(places, 0, names, kLabelNames);
  guess(places, aspects, names, kTextNames);
  if (needs.second) guess(places, aspects + 1, names, kSecondNames);
}

bool all_known(const Places& places) {
  return std::ranges::all_of(places, [](const auto& place) { return place.has_value(); });
}

// What was asked for, in the order of the places; empty where nothing was.
std::vector<std::string> wishes_of(const LabelledOptions& options, const LabelledNeeds& needs) {
  std::vector<std::string> wishes = options.label_columns;
  if (wishes.size() > needs.aspects.size()) {
    throw UsageError("--label-column: {} columns for {} aspect{}; name the aspects with --aspects",
                     wishes.size(), needs.aspects.size(), needs.aspects.size() == 1 ? "" : "s");
  }
  wishes.resize(needs.aspects.size());
  wishes.push_back(options.text_column);
  if (needs.second) {
    wishes.push_back(options.second_column);
  } else if (!options.second_column.empty()) {
    throw UsageError("--second-column: it is of a second text; give --second as well");
  }
  return wishes;
}

std::string option_of(std::size_t which, std::size_t aspects) {
  if (which < aspects) return "--label-column";
  return which == aspects ? "--text-column" : "--second-column";
}

bool is_number(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

std::string listed(const std::vector<std::string>& names) {
  std::vector<std::string> shown;
  for (const std::string& name : names) shown.push_back(shorten(one_line(name), 30));
  if (shown.size() > 20) {
    shown.resize(20);
    shown.emplace_back("...");
  }
  return join(shown, ", ");
}

std::size_t numbered(const std::string& wish, const std::string& option, std::size_t columns,
                     const std::string& name) {
  const std::int64_t number = parse_integer(wish, option);
  if (number >= 1 && number <= static_cast<std::int64_t>(columns)) {
    return static_cast<std::size_t>(number - 1);
  }
  throw UsageError("{} {}: {} has {} column{}, counted from 1", option, wish, name, columns,
                   columns == 1 ? "" : "s");
}

// Columns by name or number; the rest by their names, or by their order where that is all there is.
void choose_columns(LabelledForm& form, const std::vector<std::string>& row,
                    const std::vector<std::string>& wishes, const LabelledNeeds& needs,
                    const std::string& name) {
  const std::size_t aspects = needs.aspects.size();
  Places places(wishes.size());
  bool any = false;
  for (std::size_t i = 0; i < wishes.size(); ++i) {
    if (wishes[i].empty()) continue;
    any = true;
    const std::string option = option_of(i, aspects);
    if (is_number(wishes[i])) {
      places[i] = numbered(wishes[i], option, row.size(), name);
    } else if (!form.header) {
      throw UsageError("{} {}: {} is read without a header, so columns have numbers, from 1",
                       option, wishes[i], name);
    } else if (!(places[i] = place_of(row, folded(wishes[i])))) {
      throw UsageError("{} {}: no such column{}; {} has {}", option, wishes[i],
                       did_you_mean(wishes[i], row), name, listed(row));
    }
  }
  if (form.header) guess_all(places, row, needs);
  // What is left over in a table of just so many columns.
  for (std::size_t i = 0; row.size() == places.size() && i < places.size(); ++i) {
    for (std::size_t c = 0; !places[i] && c < row.size(); ++c) {
      if (std::ranges::find(places, std::optional(c)) == places.end()) places[i] = c;
    }
  }
  if (!any && !form.header && row.size() != places.size()) return;  // each row will say so
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i]) continue;
    throw UsageError("{}: which of its {} columns{} has the {}? Say so with {}", name, row.size(),
                     form.header ? " (" + listed(row) + ")" : "",
                     i < aspects    ? (aspects > 1 ? "label of " + needs.aspects[i] : "label")
                     : i == aspects ? "text"
                                    : "second text",
                     option_of(i, aspects));
  }
  form.columns = row.size();
  for (const auto& place : places) form.places.push_back(*place);
}

void read_table_head(LabelledForm& form, const std::filesystem::path& path,
                     const LabelledOptions& options, const LabelledNeeds& needs) {
  const std::vector<std::string> wishes = wishes_of(options, needs);
  const std::string name = path.string();
  const std::vector<std::string> head = head_of(path);
  if (form.format == LabelledFormat::csv) {
    form.table = {separator_of(head), options.quotes != Stated::no};
  } else {
    form.table = {'\t', options.quotes == Stated::automatic ? has_spreadsheet_quotes(head)
                                                            : options.quotes == Stated::yes};
  }
  form.header = options.header == Stated::yes;
  if (path == "-") {
    const auto said = std::ranges::find_if_not(wishes, &std::string::empty);
    if (said == wishes.end()) return;
    throw UsageError(
        "{}: columns are found by the head of a file, and standard input can be read only once; "
        "give a file",
        option_of(static_cast<std::size_t>(said - wishes.begin()), needs.aspects.size()));
  }
  const std::vector<std::string> row = first_row(head, form.table, name);
  if (row.empty()) return;  // whoever reads it says that it is empty
  if (options.header == Stated::automatic) {
    const bool named = std::ranges::any_of(
        wishes, [](const std::string& wish) { return !wish.empty() && !is_number(wish); });
    Places places(wishes.size());
    guess_all(places, row, needs);
    form.header = named || all_known(places);
  }
  if (form.header) form.names = row;
  choose_columns(form, row, wishes, needs, name);
}

void read_fields_head(LabelledForm& form, const std::filesystem::path& path,
                      const LabelledOptions& options, const LabelledNeeds& needs) {
  form.keys = wishes_of(options, needs);
  std::vector<std::string> names;
  for (const std::string& line : head_of(path)) {
    if (trim(line).empty()) continue;
    const auto object = nlohmann::json::parse(line, nullptr, false);
    if (!object.is_object()) break;  // whoever reads it says so
    for (const auto& [key, value] : object.items()) names.push_back(key);
    break;
  }
  Places places(form.keys.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (form.keys[i].empty()) continue;
    places[i] = place_of(names, folded(form.keys[i]));
    if (places[i]) form.keys[i] = names[*places[i]];
  }
  guess_all(places, names, needs);
  const std::size_t aspects = needs.aspects.size();
  for (std::size_t i = 0; i < places.size(); ++i) {
    std::string& key = form.keys[i];
    if (!key.empty()) continue;
    if (places[i]) {
      key = names[*places[i]];
    } else if (names.empty()) {
      key = i < aspects ? needs.aspects[i] : i == aspects ? "text" : "second";
    } else {
      throw UsageError("{}: which of its fields ({}) has the {}? Say so with {}", path.string(),
                       listed(names),
                       i < aspects    ? "label"
                       : i == aspects ? "text"
                                      : "second text",
                       option_of(i, aspects));
    }
  }
}

}  // namespace

const std::vector<std::string>& labelled_format_names() {
  static const std::vector<std::string> names = {"auto",  "tsv",      "csv",
                                                 "jsonl", "labelled", "trees"};
  return names;
}

const std::vector<std::string>& stated_names() {
  static const std::vector<std::string> names = {"auto", "yes", "no"};
  return names;
}

void LabelledOptions::declare(Options& options, const std::string& of) {
  options.add("format", format, labelled_format_names(),
              of + ": a table between tabs or, quoted, commas; JSON lines; the first word is the "
                   "label; trees of labelled phrases; auto: by the file's ending");
  options.add("header", header, stated_names(),
              "tsv, csv: whether the first row names the columns; auto: by its words");
  options.add("quotes", quotes, stated_names(),
              "tsv, csv: whether fields may be in quotes; auto: in csv, and in tsv that a "
              "spreadsheet wrote");
  options.add("label-column", label_columns,
              "tsv, csv, jsonl: the column of the label, by name or number from 1; one for each "
              "aspect");
  options.add("text-column", text_column, "the same of the text");
  options.add("second-column", second_column, "the same of the second text");
}

LabelledOptions LabelledOptions::filled_in(const LabelledOptions& others) const {
  LabelledOptions both = *this;
  // Columns belong to a format: those of a table are no help in trees.
  if (format != LabelledFormat::automatic && format != others.format) return both;
  both.format = others.format;
  if (header == Stated::automatic) both.header = others.header;
  if (quotes == Stated::automatic) both.quotes = others.quotes;
  if (label_columns.empty()) both.label_columns = others.label_columns;
  if (text_column.empty()) both.text_column = others.text_column;
  if (second_column.empty()) both.second_column = others.second_column;
  return both;
}

std::string LabelledForm::chosen() const {
  const auto role = [this](std::size_t i) {
    if (i < aspects) return aspects > 1 ? fmt::format("label {}", i + 1) : std::string("label");
    return std::string(i == aspects ? "text" : "second text");
  };
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < places.size(); ++i) {
    parts.push_back(fmt::format("{} in column {}{}", role(i), places[i] + 1,
                                header ? " (" + shorten(names[places[i]], 30) + ")" : ""));
  }
  for (std::size_t i = 0; i < keys.size(); ++i) {
    parts.push_back(fmt::format("{} in \"{}\"", role(i), keys[i]));
  }
  return join(parts, ", ");
}

bool is_table(const std::filesystem::path& path, const LabelledOptions& said) {
  return said.format != LabelledFormat::automatic || said.header != Stated::automatic ||
         said.quotes != Stated::automatic || !said.label_columns.empty() ||
         !said.text_column.empty() || !said.second_column.empty() ||
         format_of(path) != LabelledFormat::tsv;
}

LabelledForm labelled_form(const std::filesystem::path& path, const LabelledOptions& options,
                           const LabelledNeeds& needs) {
  LabelledForm form{
      .format = options.format == LabelledFormat::automatic ? format_of(path) : options.format,
      .aspects = needs.aspects.size(),
      .second = needs.second,
      .phrases = needs.phrases};
  if (form.is_table()) {
    read_table_head(form, path, options, needs);
    return form;
  }
  if (options.header == Stated::yes || options.quotes == Stated::yes) {
    throw UsageError("--{}: {} has no table in it; it is of tsv and csv",
                     options.header == Stated::yes ? "header" : "quotes", path.string());
  }
  if (form.format == LabelledFormat::jsonl) {
    read_fields_head(form, path, options, needs);
  } else if (!options.label_columns.empty() || !options.text_column.empty() ||
             !options.second_column.empty()) {
    throw UsageError(
        "--text-column, --label-column, --second-column: {} has no columns; they are "
        "of tsv, csv and jsonl",
        path.string());
  }
  return form;
}

PairFiles labelled_lines(const std::filesystem::path& path, const LabelledForm& form) {
  PairFiles files{.source = path, .columns = Columns::source};
  if (form.is_table()) {
    if (form.table.quotes) files.table = form.table;
    files.header = form.header;
  }
  return files;
}

}  // namespace heed::text
