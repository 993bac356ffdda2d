// SPDX-License-Identifier: Apache-2.0
// card.md: what a model is, what it was made from and how good it is, for people.
#pragma once

#include <string>

#include "heed/nn/module.h"
#include "heed/pipeline/translation_options.h"
#include "heed/pipeline/vocabularies.h"
#include "heed/training/early_stopping.h"

namespace heed::pipeline {

std::string model_card(const TranslationOptions& options, const Vocabularies& vocabularies,
                       const nn::Parameters& parameters, const training::Metrics& measured);

}  // namespace heed::pipeline
