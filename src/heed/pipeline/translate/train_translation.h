// SPDX-License-Identifier: Apache-2.0
// From two text files to a model folder: vocabularies, model, training with validation, and the
// files that are left.
#pragma once

#include <string>

#include "heed/pipeline/run.h"
#include "heed/pipeline/translate/translation_options.h"
#include "heed/pipeline/translate/vocabularies.h"

namespace heed::pipeline {

// Trains what the options ask for (presets applied already), or goes on where the same command was
// broken off. `print` hears lines for people; standard error without it.
TrainingReport train_translation(const TranslationOptions& options, const Print& print = nullptr);

// What its folder says of it.
ModelCard translation_card(const TranslationOptions& options, const Vocabularies& vocabularies,
                           const nn::Parameters& parameters, const training::Metrics& measured);

}  // namespace heed::pipeline
