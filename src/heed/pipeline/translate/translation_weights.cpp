// SPDX-License-Identifier: Apache-2.0
// The tables of both languages, found by the names the models give them.
#include "heed/pipeline/translate/translation_weights.h"

#include <algorithm>

#include "heed/base/error.h"
#include "heed/pipeline/starting_weights.h"

namespace heed::pipeline {
namespace {

// The embedding table of a side; tied tables are listed once, under the first name.
nn::Parameter table_of(const nn::Parameters& parameters, const std::string& side) {
  const auto is_table = [&](const nn::Parameter& parameter) {
    return parameter.name == side + ".weight" || parameter.name == side + ".embedding.weight";
  };
  const auto found = std::ranges::find_if(parameters, is_table);
  if (found != parameters.end()) return *found;
  throw UsageError("embeddings: the {}'s table is tied to another; give vectors for that one",
                   side);
}

}  // namespace

void set_translation_weights(const TranslationOptions& options, const Vocabularies& vocabularies,
                             const nn::Parameters& parameters, const Print& print) {
  start_from(options, parameters, print);
  if (!options.embeddings.empty()) {
    set_vectors(options.embeddings, *vocabularies.source, table_of(parameters, "source"));
  }
  if (!options.target_embeddings.empty()) {
    set_vectors(options.target_embeddings, *vocabularies.target, table_of(parameters, "target"));
  }
}

}  // namespace heed::pipeline
