// SPDX-License-Identifier: Apache-2.0
// Names of the options of every translator's model, and the list of encoder-decoders.
#include "heed/pipeline/translate/model_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "heed/base/error.h"
#include "heed/base/text.h"

namespace heed::pipeline {
namespace {

std::vector<EncoderDecoderCard>& listed_models() {
  static std::vector<EncoderDecoderCard> all;
  return all;
}

std::vector<std::string> encoder_decoder_names() {
  std::vector<std::string> names;
  for (const EncoderDecoderCard& card : listed_models()) names.push_back(card.name);
  return names;
}

// "--model transformer": those with more than one attention.
std::string with_several_attentions() {
  std::vector<std::string> names;
  for (const EncoderDecoderCard& card : listed_models()) {
    if (!card.one_attention) names.push_back(card.name);
  }
  return fmt::format("--model {}", join(names, " or "));
}

}  // namespace

const std::vector<EncoderDecoderCard>& encoder_decoders() {
  return listed_models();
}

ListedEncoderDecoder::ListedEncoderDecoder(EncoderDecoderCard card) {
  const auto place =
      std::ranges::lower_bound(listed_models(), card.name, {}, &EncoderDecoderCard::name);
  listed_models().insert(place, std::move(card));
}

std::string mechanism_or(const std::string& written, const std::string& otherwise) {
  return written.empty() ? otherwise : written;
}

const EncoderDecoderCard& ModelOptions::card() const {
  const auto found = std::ranges::find(listed_models(), model, &EncoderDecoderCard::name);
  if (found != listed_models().end()) return *found;
  const std::vector<std::string> names = encoder_decoder_names();
  throw UsageError("--model: there is no \"{}\"{}; there are {}", model, did_you_mean(model, names),
                   join(names, ", "));
}

Reading ModelOptions::reading() const {
  return {.copies = copy,
          .context = documents ? context_sentences : 0,
          .written_context = documents && context_side != ContextSide::source};
}

void ModelOptions::check() const {
  const EncoderDecoderCard& kind = card();
  if (attention == "none" && (copy || documents)) {
    throw UsageError("--{}: takes attention, and --attention is none; name a mechanism",
                     copy ? "copy" : "documents");
  }
  if (copy_layer >= 0 || copy_head >= 0) {
    const char* const which = copy_layer >= 0 ? "copy-layer" : "copy-head";
    if (!copy) {
      throw UsageError("--{}: it chooses the attention that copies; give --copy as well", which);
    }
    if (kind.one_attention) {
      throw UsageError("--{}: a {} has one attention, and that copies; leave it out, or take {}",
                       which, kind.name, with_several_attentions());
    }
  }
  if (kind.one_attention && documents && context_side != ContextSide::source) {
    throw UsageError(
        "--context-side: a {} reads the source sentences before; give source, or {} for the "
        "others",
        kind.name, with_several_attentions());
  }
}

void ModelOptions::declare(Options& options) {
  options.section("Model");
  std::vector<std::string> descriptions;
  for (const EncoderDecoderCard& card : listed_models()) descriptions.push_back(card.description);
  options.add("model", model, "the encoder-decoder: " + join(descriptions, ", or "))
      .one_of(encoder_decoder_names());
  options.add("attention", attention,
              "the mechanism in its written form, such as \"additive | full | "
              "entmax(alpha=1.5)\"; none: a seq2seq without attention; empty: the model's own");
  options.add("encoder-layers", encoder_layers, "layers of the encoder").range(1, 1000);
  options.add("decoder-layers", decoder_layers, "layers of the decoder").range(1, 1000);
  options.add("tie", tie, models::tie_names(),
              "embeddings that are one table: none, the target's and the output's, or all three "
              "(all takes --shared-vocabulary)");
  stack.declare(options);
  for (const EncoderDecoderCard& card : listed_models()) card.declare(*this, options);
  options.section("Copying and documents");
  options.add("copy", copy,
              "words of the source may be copied, those out of vocabulary included; takes "
              "--tokeniser words, or --shared-vocabulary");
  options.add("documents", documents,
              "an empty line on both sides separates documents; each sentence is read with those "
              "before it in its document");
  options
      .add("context-sentences", context_sentences, "documents: at most this many sentences before")
      .range(1, 1000);
  options.add("context-side", context_side, {"source", "target", "both"},
              "documents: the side that reads them; a target's are the model's own translations");
}

std::unique_ptr<models::EncoderDecoder> make_model(const ModelOptions& options,
                                                   const VocabularySizes& vocabulary,
                                                   Random& random) {
  return options.card().make(options, vocabulary, random);
}

}  // namespace heed::pipeline
