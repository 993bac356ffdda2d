// SPDX-License-Identifier: Apache-2.0
// Word alignment read off cross-attention: which source word each target word looked at.
//
//   const Tensor weights = alignment_weights(best.attentions);                 // [T,K]
//   text::to_pharaoh(word_links(token_links(weights), {source.words, target.words}));
#pragma once  // public header

#include <optional>
#include <span>
#include <vector>

#include "heed/decoding/attention_path.h"
#include "heed/tensor/tensor.h"
#include "heed/text/pharaoh.h"

#pragma GCC visibility push(default)  // exported

namespace heed::decoding {

struct AlignmentHeads {
  std::optional<int> layer{};  // not given: the last one that looks at the source
  std::vector<int> heads{};    // of that layer; empty: all
};
// The mean weights of the chosen heads [T,K], the ends of both sides included where the search
// wrote them; masked keys have none. UsageError when there is no such layer or head.
Tensor alignment_weights(std::span<const AttentionPath> attentions,
                         const AlignmentHeads& chosen = {});

// weights [T,K] -> links of tokens. Each target token is linked to the source token it gives the
// largest weight, the first of equal ones; with a threshold, to all that have at least that much.
text::Alignment token_links(const Tensor& weights, std::optional<double> threshold = {});

// For each token of both sides its word, as tokenisers give them; tokens beyond these, such as the
// ends, belong to none.
struct AlignedWords {
  std::span<const int> source;
  std::span<const int> target;
};
// Two words are linked when any of their tokens are. A token linked to the end of the source has no
// counterpart there, and leaves no link.
text::Alignment word_links(const text::Alignment& tokens, const AlignedWords& words);
// The same as weights [target words, source words]: added over the tokens of a source word,
// averaged over those of a target word.
Tensor word_weights(const Tensor& weights, const AlignedWords& words);

}  // namespace heed::decoding

#pragma GCC visibility pop
