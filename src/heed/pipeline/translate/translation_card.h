// SPDX-License-Identifier: Apache-2.0
// What the card of a translator says of it.
#pragma once

#include "heed/nn/module.h"
#include "heed/pipeline/model_card.h"
#include "heed/pipeline/translate/translation_options.h"
#include "heed/pipeline/translate/vocabularies.h"

namespace heed::pipeline {

CardFacts translation_facts(const TranslationOptions& options, const Vocabularies& vocabularies,
                            const nn::Parameters& parameters);

}  // namespace heed::pipeline
