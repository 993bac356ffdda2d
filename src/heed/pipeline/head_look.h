// SPDX-License-Identifier: Apache-2.0
// A glance at the head of a file: whether it is a table, and of what, so that a kind of model can
// say whether it learns from such files.
#pragma once

#include <span>
#include <string>

namespace heed::pipeline {

struct HeadLook {
  std::string ending{};       // ".csv" of "train.CSV.gz"
  bool table_ending = false;  // .csv, .tsv, .jsonl and the like
  double tabs = 0;            // the share of lines with a tab
  double distinct = 1;        // of the first columns: labels come again, sentences hardly
};

// DataError for a file that cannot be opened.
HeadLook look_at_head(const std::string& file);

// How well files fit a kind that learns from plain lines, training and perhaps validation: 0 or 1.
double suits_plain_lines(std::span<const std::string> files);
// The same for a kind that learns from images: those of IDX with their labels, and perhaps both
// once more for validation.
double suits_images(std::span<const std::string> files);

}  // namespace heed::pipeline
