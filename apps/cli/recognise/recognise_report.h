// SPDX-License-Identifier: Apache-2.0
// What `heed recognise` prints: labels with how good they are, and tables of errors by length.
#pragma once

#include <span>
#include <string>

#include "heed/insight/draw/strip_picture.h"
#include "heed/pipeline/recognise/strip_reader.h"

namespace heed::cli {

struct RecognisedStrip {
  corpora::Strip strip{};
  pipeline::LookedAt look{};
};

// "probability 0.97, right", "probability 0.51, 1 of 4 labels wrong; they are cafe".
std::string recognised_line(const pipeline::StripReader& reader, const RecognisedStrip& one);
std::string recognised_text(const pipeline::StripReader& reader,
                            std::span<const RecognisedStrip> all);
std::string recognised_json(const pipeline::StripReader& reader,
                            std::span<const RecognisedStrip> all);

// Labels of strips, from the fewest to the most.
struct LabelRange {
  std::int64_t fewest = 0;
  std::int64_t most = 0;

  // "6", "3-8". UsageError that names the option for anything else.
  static LabelRange parse(const std::string& text);
  std::string text() const;
};
struct RangeQuality {
  LabelRange range{};
  pipeline::StripQuality quality{};
};
std::string range_table(std::span<const RangeQuality> rows);
std::string range_json(std::span<const RangeQuality> rows);

// What a model made of a strip: by CTC the chance of every label and blank at every state with the
// likeliest path, by a decoder its attention. No rows where nothing was found.
insight::StripLook strip_look(const pipeline::StripReader& reader, const pipeline::LookedAt& look);
// The strip, and where its labels lie if that is known.
insight::StripScene strip_scene(const pipeline::StripReader& reader, const corpora::Strip& strip);

}  // namespace heed::cli
