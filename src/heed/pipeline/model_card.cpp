// SPDX-License-Identifier: Apache-2.0
// Facts only: all of them stand in the folder's other files or were measured when it was saved.
#include "heed/pipeline/model_card.h"

#include <filesystem>

namespace heed::pipeline {
namespace {

std::string attention_of(const ModelOptions& model) {
  const auto or_own = [](const std::string& text, const char* own) {
    return text.empty() ? std::string(own) : text;
  };
  if (model.model == ModelKind::seq2seq) return or_own(model.attention, "additive");
  const std::string all = or_own(model.attention, "scaled_dot");
  return fmt::format(
      "encoder `{}`, decoder `{}`, cross `{}`", or_own(model.encoder_attention, all.c_str()),
      or_own(model.decoder_attention, all.c_str()), or_own(model.cross_attention, all.c_str()));
}

}  // namespace

std::string model_card(const TranslationOptions& options, const Vocabularies& vocabularies,
                       const nn::Parameters& parameters, const training::Metrics& measured) {
  const bool recurrent = options.model.model == ModelKind::seq2seq;
  std::string card = fmt::format(
      "# {}\n\nA translator made by heed {}.\n\n| | |\n|---|---|\n"
      "| model | {} |\n| attention | {} |\n| parameters | {} |\n"
      "| vocabulary | {} source, {} target pieces |\n",
      std::filesystem::path(options.out).filename().string(), HEED_VERSION,
      recurrent ? "recurrent encoder and decoder (seq2seq)" : "Transformer",
      attention_of(options.model), nn::parameter_count(parameters), vocabularies.source->size(),
      vocabularies.target->size());
  for (const auto& [name, value] : measured) {
    card += fmt::format("| validation {} | {:.4g} |\n", name, value);
  }
  return card + fmt::format(
                    "\nUse it:\n\n    heed translate --model {} < SOURCE\n\n"
                    "Every option of its training stands in config.toml.\n",
                    options.out);
}

}  // namespace heed::pipeline
