// SPDX-License-Identifier: Apache-2.0
// From two text files to a model folder: vocabularies, model, training with validation, and the
// files that are left.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "heed/pipeline/translation_options.h"
#include "heed/text/batch_stream.h"
#include "heed/training/trainer.h"

namespace heed::pipeline {

struct TrainingReport {
  training::Outcome outcome;
  std::int64_t parameters = 0;
  text::StreamReport data{};  // of the last whole epoch, or of what was read of the first
};

// "29000 pairs, 431210 + 402113 tokens, padding 9.4%; too long and skipped: 3 (lines 2, 7, 9)"
std::string data_line(const text::StreamReport& report);

// Trains what the options ask for (presets applied already), or goes on where the same command was
// broken off. `print` hears lines for people; standard error without it.
TrainingReport train_translation(const TranslationOptions& options,
                                 const std::function<void(std::string_view)>& print = nullptr);

}  // namespace heed::pipeline
