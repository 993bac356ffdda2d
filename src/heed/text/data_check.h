// SPDX-License-Identifier: Apache-2.0
// A look at the data of a training before it begins: how much there is, how long the texts are, how
// many come twice, which lines are odd. One pass in bounded memory, however large the files.
//
//   const PartCheck train = check_part({.role = "training", .files = {.source = "train.txt"}});
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "heed/text/counted_lines.h"
#include "heed/text/labelled_form.h"
#include "heed/text/labels.h"
#include "heed/text/length_counts.h"
#include "heed/text/line_sketch.h"
#include "heed/text/pairs.h"

namespace heed::text {

// One part of a training's data, as the training reads it.
struct DataPart {
  std::string role = "training";  // or "validation"
  PairFiles files = {};
  std::optional<LabelledForm> labelled = {};
  std::vector<std::string> aspects = {};  // of labelled texts

  bool operator==(const DataPart&) const = default;
};

struct CheckOptions {
  std::uint64_t most_bytes = 0;        // of the part, unpacked, that are read; 0: all
  std::size_t sample_rows = 0;         // drawn from all of it, so that a training can be tried
  std::size_t sample_bytes = 2 << 20;  // at most, of these
  std::uint64_t seed = 1;
  const LineSketch* training = nullptr;  // to find texts that training has too
};

struct PartCheck {
  DataPart part = {};
  std::string name = {};    // of its files
  std::uint64_t bytes = 0;  // read, unpacked
  bool whole = true;        // whether that is all there is
  std::uint64_t texts = 0;  // lines, pairs or rows with text

  // Odd lines. Those in brackets a training refuses.
  CountedLines empty = {};       // without text, or without text on a side
  CountedLines encoding = {};    // [not UTF-8]
  CountedLines too_long = {};    // [more than LineReader::kMostBytes]
  CountedLines unreadable = {};  // [no row, no pair, no label: `problem` is the first]
  CountedLines control = {};     // control characters; [NUL]
  CountedLines replaced = {};    // U+FFFD: what a conversion has lost
  CountedLines unequal = {};     // pairs: lengths that differ by more than three times the usual
  CountedLines quoted = {};      // labelled: fields in quotes that are kept as they are
  std::string problem = {};      // what training would refuse first; empty: nothing

  LengthCounts words = {};         // of texts, or sources
  LengthCounts second_words = {};  // of targets, or second texts
  std::uint64_t characters = 0;

  std::vector<Aspect> classes = {};            // of labelled texts, with counts
  bool many_classes = false;                   // more than are counted
  std::vector<std::string> first_labels = {};  // of the first row
  std::uint64_t label_words = 0;               // of all labels of the first aspect

  std::shared_ptr<LineSketch> sketch = {};  // of all texts
  // Texts that training has too; of `compared` ones that could be looked up.
  CountedLines shared = {};
  std::uint64_t compared = 0;

  std::vector<LinePair> sample = {};  // in the order of the file
};

// DataError for a file that cannot be opened; what is wrong inside is in the result.
PartCheck check_part(const DataPart& part, const CheckOptions& options = {});

// What looks like a mistake, each with its remedy, without the file's name: "89 labels for 300
// texts: are the columns swapped? ...".
std::vector<std::string> suspicions(const PartCheck& part);

}  // namespace heed::text
