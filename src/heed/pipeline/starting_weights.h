// SPDX-License-Identifier: Apache-2.0
// Where weights start when not at random: another model, or word vectors.
#pragma once

#include <string>

#include "heed/nn/module.h"
#include "heed/pipeline/vocabularies.h"

namespace heed::pipeline {

// The vocabularies of a model folder.
Vocabularies vocabularies_of(const std::string& folder);

// As --init-from, --embeddings and --target-embeddings ask. UsageError when nothing of the model or
// none of the words fits, or the vectors have another width than the model's.
void set_starting_weights(const TranslationOptions& options, const Vocabularies& vocabularies,
                          const nn::Parameters& parameters);

}  // namespace heed::pipeline
