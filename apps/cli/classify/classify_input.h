// SPDX-License-Identifier: Apache-2.0
// What `heed classify --input` reads: lines, a tab before a second text; or the rows of a table
// (CSV, TSV, JSON lines), of which the columns with text count.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "heed/pipeline/classify/classifier.h"
#include "heed/text/lines.h"
#include "heed/text/pairs.h"

namespace heed::cli {

class ClassifyInput {
 public:
  // A table where the file's ending, or what is said of its format or columns, makes it one.
  // UsageError for a column that it does not have.
  ClassifyInput(const std::string& path, const text::LabelledOptions& said,
                const pipeline::Classifier& classifier);

  // The next text, which may be empty; false after the last.
  bool next(text::LabelledText& text);
  std::string name() const { return rows_ ? rows_->name() : lines_->name(); }
  // Of the text given last; of a row that goes over several lines, the first.
  std::uint64_t line() const { return rows_ ? row_.line : lines_->line(); }
  bool is_table() const { return rows_.has_value(); }

 private:
  std::optional<text::LineReader> lines_{};
  text::LabelledForm form_{};
  std::optional<text::PairReader> rows_{};
  text::LinePair row_{};
};

}  // namespace heed::cli
