// SPDX-License-Identifier: Apache-2.0
// From a folder to the model of its kind.
#include "heed/pipeline/model.h"

#include "heed/base/error.h"
#include "heed/base/options.h"
#include "heed/base/text.h"
#include "heed/pipeline/model_folder.h"
#include "heed/pipeline/model_kind.h"
#include "heed/pipeline/watched.h"

namespace heed::pipeline {

std::int64_t Model::token_count(const text::Tokeniser& tokeniser, std::string_view text) {
  return static_cast<std::int64_t>(tokeniser.encode(text).tokens.size() + 1);
}

std::vector<InputScore> Model::score_inputs(std::span<const Input>,
                                            const InputScoreOptions&) const {
  const auto scores = [](const ModelKind& one) { return one.scores != Scored::nothing; };
  throw UsageError("a {} scores nothing; models for {} do", kind().noun,
                   join(kind_names(scores), " and "));
}

Explained Model::explained(const Input&, const ExplainedTarget&) const {
  throw UsageError(
      "a {} is not explained by its words; classifiers of texts are (heed train classify)",
      kind().noun);
}

std::unique_ptr<Watched> Model::watched(const WatchedData&) const {
  throw UsageError(
      "the heads and layers of a {} are not looked into; those of models that read texts are",
      kind().noun);
}

void Model::set(Options& list, const Settings& settings) const {
  for (const auto& [name, value] : settings) {
    if (list.find(name) == nullptr) {
      throw UsageError("a {} has no setting \"{}\"; it has {}", kind().noun, name,
                       list.names().empty() ? "none" : join(list.names(), ", "));
    }
    list.set(name, std::span(&value, 1));
  }
}

std::unique_ptr<Model> open_model(const std::filesystem::path& folder) {
  return ModelFolder{folder}.kind().open(folder);
}

}  // namespace heed::pipeline
