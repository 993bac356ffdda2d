// SPDX-License-Identifier: Apache-2.0
// Random sentences, the small Transformer, and the count of its products by the names of weights.
#include "cli/bench/translate/translation_case.h"

#include <string>

#include "heed/text/token.h"

namespace heed::cli {

models::Sequences random_sentences(const RandomSentences& sentences, Random& random) {
  Ids ids = Ids::full({sentences.count, sentences.longest}, text::kPadding);
  Ids lengths({sentences.count});
  const std::int64_t spread = sentences.longest - sentences.shortest + 1;
  for (std::int64_t row = 0; row < sentences.count; ++row) {
    const std::int64_t length =
        sentences.shortest +
        static_cast<std::int64_t>(random.integer(static_cast<std::uint64_t>(spread)));
    std::int32_t* tokens = ids.mutable_data() + row * sentences.longest;
    for (std::int64_t i = 0; i + 1 < length; ++i) {
      const auto pieces = static_cast<std::uint64_t>(sentences.vocabulary - text::kFirstPiece);
      tokens[i] = text::kFirstPiece + static_cast<std::int32_t>(random.integer(pieces));
    }
    tokens[length - 1] = text::kEnd;
    lengths.mutable_data()[row] = static_cast<std::int32_t>(length);
  }
  return {ids, lengths};
}

models::TransformerOptions small_transformer() {
  return {.source_vocabulary = 8000, .target_vocabulary = 8000};
}

TokenProducts token_products(models::EncoderDecoder& transformer) {
  TokenProducts products;
  double source_table = 0, target_table = 0, output = 0;
  for (const nn::Parameter& parameter : nn::parameters(transformer)) {
    const std::string& name = parameter.name;
    if (parameter.variable.rank() != 2) continue;
    const auto elements = static_cast<double>(parameter.variable.value().size());
    const bool of_source = name.starts_with("encoder.") ||
                           name.find("cross.W_K") != std::string::npos ||
                           name.find("cross.W_V") != std::string::npos;
    if (name.starts_with("source.embedding")) {
      source_table = elements;
    } else if (name.starts_with("target.embedding")) {
      target_table = elements;
    } else if (name == "output") {
      output = elements;
    } else {
      (of_source ? products.per_source : products.per_target) += elements;
    }
  }
  // Tied, the output is the table of the target's embeddings, or the only one there is.
  if (output == 0) output = target_table != 0 ? target_table : source_table;
  products.per_target += output;
  return products;
}

}  // namespace heed::cli
