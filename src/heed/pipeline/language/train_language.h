// SPDX-License-Identifier: Apache-2.0
// From a text file to a model folder: vocabulary, model, training on windows of the text with
// carried states, validation.
#pragma once

#include "heed/pipeline/language/language_options.h"
#include "heed/pipeline/run.h"

namespace heed::pipeline {

// Trains what the options ask for (presets applied already), or goes on where the same command was
// broken off. `print` hears lines for people; standard error without it.
TrainingReport train_language(const LanguageOptions& options, const Print& print = nullptr);

}  // namespace heed::pipeline
