// SPDX-License-Identifier: Apache-2.0
// Small models that copy, and sentences with words of their own, for tests.
#pragma once

#include "heed/models/seq2seq.h"
#include "heed/models/transformer.h"

namespace heed::models::testing {

inline Seq2SeqOptions copying_seq2seq() {
  return {.source_vocabulary = 7,
          .target_vocabulary = 8,
          .embedding = 6,
          .hidden = 8,
          .attention = "additive(size=6)",
          .copies = true};
}

inline TransformerOptions copying_transformer() {
  return {.source_vocabulary = 7,
          .target_vocabulary = 8,
          .stack = {.width = 8, .heads = 2, .inner = 12, .dropout = 0},
          .encoder_layers = 1,
          .decoder_layers = 2,
          .copies = true};
}

// Two sentences for a target vocabulary of 8: the first has two words of its own, 8 and 9, the
// second one, 8, and fewer tokens.
struct CopiedExample {
  Source source;
  Sequences target;
};

inline CopiedExample copied_example() {
  using Rows = std::vector<text::Tokens>;
  Source source(sequences(
      text::pad_rows(Rows{{text::kUnknown, 5, 6, text::kEnd}, {4, text::kUnknown, text::kEnd}})));
  source.copies = Ids::of({2, 4}, {8, 5, 9, text::kEnd, 4, 8, text::kEnd, -1});
  return {source, sequences(text::pad_rows(
                      Rows{{9, 8, 5, text::kEnd}, {7, 8, 4, text::kUnknown, text::kEnd}}))};
}

}  // namespace heed::models::testing
