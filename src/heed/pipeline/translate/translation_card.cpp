// SPDX-License-Identifier: Apache-2.0
// Options of a model, put into words.
#include "heed/pipeline/translate/translation_card.h"

#include <fmt/format.h>

namespace heed::pipeline {
namespace {

std::string model_of(const ModelOptions& model) {
  const Reading reading = model.reading();
  std::string text = model.card().description;
  if (reading.copies) text += ", copies words of the source";
  if (reading.context > 0) {
    text += fmt::format(", reads {} sentence{} before", reading.context,
                        reading.context == 1 ? "" : "s");
  }
  return text;
}

}  // namespace

CardFacts translation_facts(const TranslationOptions& options, const Vocabularies& vocabularies,
                            const nn::Parameters& parameters) {
  return {{"model", model_of(options.model)},
          {"attention", options.model.card().attention(options.model)},
          {"parameters", fmt::format("{}", nn::parameter_count(parameters))},
          {"vocabulary", fmt::format("{} source, {} target pieces", vocabularies.source->size(),
                                     vocabularies.target->size())}};
}

}  // namespace heed::pipeline
