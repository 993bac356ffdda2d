// SPDX-License-Identifier: Apache-2.0
// From plain text to a model of masked words: vocabulary, masks, training with validation.
#pragma once

#include "heed/pipeline/masked/masked_options.h"
#include "heed/pipeline/run.h"

namespace heed::pipeline {

// Trains what the options ask for (presets applied already), or goes on where the same command was
// broken off. DataError when no token of a whole epoch can be masked.
TrainingReport train_masked(const MaskedOptions& options, const Print& print = nullptr);

}  // namespace heed::pipeline
