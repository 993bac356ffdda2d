// SPDX-License-Identifier: Apache-2.0
// The two stacks of an encoder-decoder that was written elsewhere: Marian's (OPUS-MT) and T5's.
#pragma once

#include "heed/pipeline/foreign/stack_recipes.h"

namespace heed::pipeline {

// Parameters "source.embedding", "encoder", "decoder", "encoder_norm", "decoder_norm", "output" and
// "output_bias".
ForeignStack marian_stacks(const ForeignFolder& folder, const ForeignTokens& tokens,
                           TensorRecipes& recipes);
ForeignStack t5_stacks(const ForeignFolder& folder, const ForeignTokens& tokens,
                       TensorRecipes& recipes);

}  // namespace heed::pipeline
