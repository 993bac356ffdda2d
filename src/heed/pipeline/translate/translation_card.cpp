// SPDX-License-Identifier: Apache-2.0
// Options of a model, put into words.
#include "heed/pipeline/translate/translation_card.h"

#include <fmt/format.h>

namespace heed::pipeline {
namespace {

std::string attention_of(const ModelOptions& model) {
  const auto or_own = [](const std::string& text, const char* own) {
    return text.empty() ? std::string(own) : text;
  };
  if (model.model == EncoderDecoderKind::seq2seq) return or_own(model.attention, "additive");
  const std::string all = or_own(model.attention, "scaled_dot");
  return fmt::format(
      "encoder `{}`, decoder `{}`, cross `{}`", or_own(model.encoder_attention, all.c_str()),
      or_own(model.decoder_attention, all.c_str()), or_own(model.cross_attention, all.c_str()));
}

std::string model_of(const ModelOptions& model) {
  const Reading reading = model.reading();
  std::string text = model.model == EncoderDecoderKind::seq2seq
                         ? "recurrent encoder and decoder (seq2seq)"
                         : "Transformer";
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
          {"attention", attention_of(options.model)},
          {"parameters", fmt::format("{}", nn::parameter_count(parameters))},
          {"vocabulary", fmt::format("{} source, {} target pieces", vocabularies.source->size(),
                                     vocabularies.target->size())}};
}

}  // namespace heed::pipeline
