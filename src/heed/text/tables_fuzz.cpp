// SPDX-License-Identifier: Apache-2.0
// Fuzz target of tables: the first line names the format and what is said of it, the others are a
// file of labelled texts, whose form is found and whose rows are read.
#include <optional>

#include "heed/base/fuzzing.h"
#include "heed/base/text.h"
#include "heed/text/data_check.h"
#include "heed/text/labelled.h"

namespace heed::test {
namespace {

// "csv", "tsv" or "jsonl", then any of "header", "plain" (no quotes), "second", "unlabelled", and
// "text=COLUMN", "label=COLUMN".
bool say(std::string_view words, text::LabelledOptions& options, text::LabelledNeeds& needs) {
  for (const std::string_view word : split(words, ' ')) {
    if (word == "csv") {
      options.format = text::LabelledFormat::csv;
    } else if (word == "tsv") {
      options.format = text::LabelledFormat::tsv;
    } else if (word == "jsonl") {
      options.format = text::LabelledFormat::jsonl;
    } else if (word == "header") {
      options.header = text::Stated::yes;
    } else if (word == "plain") {
      options.quotes = text::Stated::no;
    } else if (word == "second") {
      needs.second = true;
    } else if (word == "unlabelled") {
      needs.aspects.clear();
    } else if (word.starts_with("text=")) {
      options.text_column = word.substr(5);
    } else if (word.starts_with("label=")) {
      options.label_columns = {std::string(word.substr(6))};
    } else {
      return false;
    }
  }
  return options.format != text::LabelledFormat::automatic;
}

// Quoted and read again, the fields of a row are the same.
void read_again(const std::vector<std::string>& fields) {
  std::string row;
  for (const std::string& field : fields) {
    row += row.empty() ? "\"" : ",\"";
    for (const char c : field) row += c == '"' ? "\"\"" : std::string(1, c);
    row += '"';
  }
  require(text::fields_of(row, {}, "again") == fields, "fields change when written in quotes");
}

bool read_table(std::string_view bytes) {
  static MemoryFile file;
  const std::size_t end = bytes.find('\n');
  if (end == bytes.npos) return false;
  file.hold(bytes.substr(end + 1));
  return accepted([&] {
    text::LabelledOptions options;
    text::LabelledNeeds needs;
    if (!say(bytes.substr(0, end), options, needs)) throw DataError("no form");
    const text::LabelledForm form = text::labelled_form(file.path(), options, needs);
    const text::PairFiles files = text::labelled_lines(file.path(), form);
    // A look at training data takes any bytes, and says what reading will refuse.
    std::optional<text::PartCheck> look;
    if (!needs.aspects.empty()) {
      look = text::check_part({.files = files, .labelled = form, .aspects = needs.aspects});
      text::suspicions(*look);
    }
    std::uint64_t texts = 0;
    text::PairReader rows(files);
    for (text::LinePair row; rows.next(row);) {
      if (form.is_table() && form.table.quotes) {
        read_again(text::fields_of(row.source, form.table, "input"));
      }
      for (const text::LabelledText& one :
           text::labelled_texts(form, row.source, "input", row.line)) {
        ++texts;
        require(one.text.find('\n') == one.text.npos, "a line break in a text");
        require(one.labels.size() == needs.aspects.size(), "a label too many or too few");
        for (const std::string& label : one.labels) {
          require(!label.empty(), "an empty label");
          require(label.find_first_of("\t\n") == std::string::npos, "a tab in a label");
        }
      }
    }
    if (!look) return;
    require(look->texts == texts, "a look counts other texts than reading gives");
    require(texts == 0 || look->problem.empty(), "a look refuses what reading takes");
  });
}

const FuzzTarget kTables("tables", read_table);

}  // namespace
}  // namespace heed::test
