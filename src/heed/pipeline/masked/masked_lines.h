// SPDX-License-Identifier: Apache-2.0
// Lines with masks: what a masked language model sees, what it must guess, and how well it does.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "heed/models/masked_model.h"
#include "heed/pipeline/masked/masked_options.h"
#include "heed/text/batch_stream.h"
#include "heed/text/labelled.h"

namespace heed::pipeline {

// Lines as tokens with their words beside them as labels; `name` is the file's, for errors.
text::LineEncoder masked_line_encoder(const text::Tokeniser& tokeniser,
                                      const text::LengthLimit& limit, const std::string& name,
                                      text::TextShape shape = text::TextShape::line);

// An epoch that no training reaches: its masks are those that models are scored by.
inline constexpr std::uint64_t kScoringEpoch = 0xFFFFF;

// A batch with its masks: what the model sees, and what it must guess where.
struct MaskedBatch {
  models::Sequences text;
  Ids places;  // [N] of the flattened text
  Ids wanted;  // [N]
};
// `batch` has the words of its tokens as labels. The masks are a function of each text's line and
// of the epoch.
MaskedBatch masked_batch(const text::PairBatch& batch, std::uint64_t epoch, text::Token vocabulary,
                         const text::MaskingOptions& options);

// How a line was guessed, summed over its masks.
struct MaskedScore {
  std::uint64_t line = 0;  // its number
  double loss = 0;         // -log p of what was hidden
  double right = 0;        // masks whose likeliest token it was
  double masks = 0;
};
// Of lines without any mask, too, in no particular order; the masks are the same every time.
std::vector<MaskedScore> masked_scores(const models::MaskedModel& model,
                                       std::span<const text::TokenPair> lines,
                                       const MaskedOptions& options,
                                       text::Token mask = text::kUnknown);

}  // namespace heed::pipeline
