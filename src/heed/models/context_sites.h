// SPDX-License-Identifier: Apache-2.0
// What observers are told of the attentions over the sentences before, of the source or the target.
#pragma once

#include "heed/attention/hierarchical.h"
#include "heed/models/call.h"

namespace heed::models {

// What an encoder that reads source sentences before, after layer `layer`, hands to its attention.
inline attention::HierarchicalCall source_context(int layer, const Call& call) {
  return {.noise = call.noise,
          .watch = call.watch,
          .words = {.role = attention::Role::context_words,
                    .set = "source context words",
                    .queries = "source",
                    .keys = "source context",
                    .layer = layer},
          .sentences = {.role = attention::Role::context_sentences,
                        .set = "source context sentences",
                        .queries = "source",
                        .keys = "source context sentences",
                        .layer = layer}};
}

// The same of a decoder that reads the target sentences before.
inline attention::HierarchicalCall target_context(int layer, const Call& call) {
  return {.noise = call.noise,
          .watch = call.watch,
          .words = {.role = attention::Role::context_words,
                    .set = "target context words",
                    .queries = "target",
                    .keys = "target context",
                    .layer = layer,
                    .stepwise = true},
          .sentences = {.role = attention::Role::context_sentences,
                        .set = "target context sentences",
                        .queries = "target",
                        .keys = "target context sentences",
                        .layer = layer,
                        .stepwise = true}};
}

}  // namespace heed::models
