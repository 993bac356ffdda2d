// SPDX-License-Identifier: Apache-2.0
// Lines and rows give the same: texts without labels.
#include "cli/classify/classify_input.h"

namespace heed::cli {

ClassifyInput::ClassifyInput(const std::string& path, const text::LabelledOptions& said,
                             const pipeline::Classifier& classifier) {
  if (!text::is_table(path, said)) {
    lines_.emplace(path);
    return;
  }
  form_ = classifier.form_of_texts(path, said);
  rows_.emplace(text::labelled_lines(path, form_));
}

bool ClassifyInput::next(text::LabelledText& text) {
  text = {};
  if (lines_) {
    std::string line;
    if (!lines_->next(line)) return false;
    const std::size_t tab = line.find('\t');
    text.text = line.substr(0, tab);
    if (tab != line.npos) text.second = line.substr(tab + 1);
    return true;
  }
  if (!rows_->next(row_)) return false;
  // A row whose columns of text are empty is a text like an empty line, so that there are as many
  // answers as rows.
  std::vector<text::LabelledText> found =
      text::labelled_texts(form_, row_.source, rows_->name(), row_.line);
  if (!found.empty()) text = std::move(found.front());
  return true;
}

}  // namespace heed::cli
