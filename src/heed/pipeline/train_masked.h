// SPDX-License-Identifier: Apache-2.0
// From plain text to a model of masked words: vocabulary, masks, training with validation.
#pragma once

#include "heed/models/encoder_decoder.h"
#include "heed/pipeline/masked_options.h"
#include "heed/pipeline/run.h"

namespace heed::pipeline {

// Trains what the options ask for (presets applied already), or goes on where the same command was
// broken off. DataError when no token of a whole epoch can be masked.
TrainingReport train_masked(const MaskedOptions& options, const Print& print = nullptr);

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

}  // namespace heed::pipeline
