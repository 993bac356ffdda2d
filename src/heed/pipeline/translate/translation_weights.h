// SPDX-License-Identifier: Apache-2.0
// Where a translator's weights start: another model, or word vectors for either language.
#pragma once

#include "heed/nn/module.h"
#include "heed/pipeline/run.h"
#include "heed/pipeline/translate/translation_options.h"
#include "heed/pipeline/translate/vocabularies.h"

namespace heed::pipeline {

// As --init-from, --embeddings and --target-embeddings ask. UsageError when nothing of the model or
// none of the words fits, or the vectors have another width than the model's.
void set_translation_weights(const TranslationOptions& options, const Vocabularies& vocabularies,
                             const nn::Parameters& parameters, const Print& print = nullptr);

}  // namespace heed::pipeline
