// SPDX-License-Identifier: Apache-2.0
// Sentences and models that the benchmarks of translators share, and the work they ask for.
#pragma once

#include <cstdint>

#include "heed/base/random.h"
#include "heed/models/encoder_decoder.h"
#include "heed/models/transformer.h"

namespace heed::cli {

struct RandomSentences {
  std::int64_t count = 64;
  std::int64_t shortest = 25;  // lengths are drawn evenly from here
  std::int64_t longest = 25;   // to here
  std::int64_t vocabulary = 8000;
};
// Tokens drawn evenly, each sentence with its end.
models::Sequences random_sentences(const RandomSentences& sentences, Random& random);

// 3 + 3 layers of width 256 with 8 heads, vocabularies of 8000: preset transformer-small.
models::TransformerOptions small_transformer();

// Multiplications with weights that a Transformer asks for; those between tokens, inside attention,
// are 1% of them at 25 tokens and are not counted.
struct TokenProducts {
  double per_source = 0;  // reading one source token, keys and values of the decoder included
  double per_target = 0;  // reading one target token and scoring the next
};
TokenProducts token_products(models::EncoderDecoder& transformer);

}  // namespace heed::cli
