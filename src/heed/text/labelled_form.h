// SPDX-License-Identifier: Apache-2.0
// How a file of labelled texts is written: its format, its header, and which column holds what, as
// its reader says or as the head of the file shows.
//
//   tsv       LABEL<TAB>TEXT, with several aspects a label each, for pairs then a second text:
//             good<TAB>bad<TAB>A quiet street, dirty rooms.
//   csv       the same between commas or semicolons, with quotes as spreadsheets write them
//   jsonl     an object per line: {"label": "good", "text": "A quiet street."}
//   labelled  the first word is the label: 1 a gorgeous , witty film
//   trees     labels from 0 to 4 on every phrase (Socher 2013): (3 (2 a) (4 (3 witty) (2 film)));
//             0 and 1 are "negative", 3 and 4 "positive", 2 is left out
#pragma once  // public header

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "heed/base/options.h"
#include "heed/text/pairs.h"
#include "heed/text/table.h"

#pragma GCC visibility push(default)  // exported

namespace heed::text {

enum class LabelledFormat { automatic, tsv, csv, jsonl, labelled, trees };
const std::vector<std::string>& labelled_format_names();

enum class Stated { automatic, yes, no };
const std::vector<std::string>& stated_names();

// What may be said of a file; what is not said its ending and its head show.
struct LabelledOptions {
  LabelledFormat format = LabelledFormat::automatic;  // by the ending: .csv, .jsonl, else tsv
  Stated header = Stated::automatic;
  Stated quotes = Stated::automatic;
  // Names or numbers, from 1, of columns; names of fields of jsonl.
  std::vector<std::string> label_columns = {};
  std::string text_column = {};
  std::string second_column = {};

  // --format, --header, --quotes, --label-column, --text-column, --second-column; `of` says of
  // which files: "of both".
  void declare(Options& options, const std::string& of);
  // These, and of `others` what is not said here.
  LabelledOptions filled_in(const LabelledOptions& others) const;
};

// What a classifier needs of a file.
struct LabelledNeeds {
  std::vector<std::string> aspects = {"label"};
  bool second = false;
  bool phrases = false;  // trees: every labelled phrase, or whole sentences only
};

// How one file is written.
struct LabelledForm {
  LabelledFormat format = LabelledFormat::tsv;  // not automatic
  std::size_t aspects = 1;
  bool second = false;
  bool phrases = false;

  // tsv, csv
  TableForm table{'\t', false};
  bool header = false;
  std::size_t columns = 0;  // of every row; 0: as many as are needed
  // Columns of the labels, the text and the second text, from 0; empty: in this order.
  std::vector<std::size_t> places = {};
  std::vector<std::string> names = {};  // of the columns, with a header
  // jsonl: the same as names of fields
  std::vector<std::string> keys = {};

  bool operator==(const LabelledForm&) const = default;
  std::size_t needed() const { return aspects + (second ? 2 : 1); }
  bool is_table() const { return format == LabelledFormat::tsv || format == LabelledFormat::csv; }
  // "label in column 3 (stars), text in column 1 (review)", for people; empty where nothing was
  // chosen.
  std::string chosen() const;
};

// Whether a file of texts to classify is a table (its ending, or what is said of it, says so) and
// not plain lines.
bool is_table(const std::filesystem::path& path, const LabelledOptions& said);

// Looks at the head of the file. Without aspects only the columns with text are looked for.
// UsageError for options that do not fit its format, and for a
// column that it does not have, naming those it has.
LabelledForm labelled_form(const std::filesystem::path& path, const LabelledOptions& options,
                           const LabelledNeeds& needs);

// The rows or lines of such a file, each a source.
PairFiles labelled_lines(const std::filesystem::path& path, const LabelledForm& form);

}  // namespace heed::text

#pragma GCC visibility pop
