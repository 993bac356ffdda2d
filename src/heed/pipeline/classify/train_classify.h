// SPDX-License-Identifier: Apache-2.0
// From labelled texts to a model folder: labels, vocabulary, model, training with validation.
#pragma once

#include "heed/pipeline/classify/classify_options.h"
#include "heed/pipeline/run.h"

namespace heed::pipeline {

// Trains what the options ask for (presets applied already), or goes on where the same command was
// broken off. DataError with file and line for labels that are missing, unknown in validation or
// all the same.
TrainingReport train_classify(const ClassifyOptions& options, const Print& print = nullptr);

}  // namespace heed::pipeline
