// SPDX-License-Identifier: Apache-2.0
// From two text files to a model folder: vocabularies, model, training with validation, and the
// files that are left.
#pragma once

#include <functional>
#include <string_view>

#include "heed/pipeline/translation_options.h"
#include "heed/training/trainer.h"

namespace heed::pipeline {

struct TrainingReport {
  training::Outcome outcome;
  std::int64_t parameters = 0;
};

// Trains what the options ask for (presets applied already), or goes on where the same command was
// broken off. `print` hears lines for people; standard error without it.
TrainingReport train_translation(const TranslationOptions& options,
                                 const std::function<void(std::string_view)>& print = nullptr);

}  // namespace heed::pipeline
