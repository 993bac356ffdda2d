// SPDX-License-Identifier: Apache-2.0
// How the attentions that a model left become a traced example: which strips of tokens each kind of
// attention joins, and what belongs to which token.
//
// A row belongs to the token that was written with it: the one a decoder's query foresees, not the
// one it has just read. What was read is on a strip of its own where it is attended to.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "heed/base/exported.h"
#include "heed/decoding/attention_path.h"
#include "heed/insight/trace/trace_document.h"
#include "heed/text/tokeniser.h"

namespace heed::pipeline {

// A sequence as the model had it, its end included, and the word of each token.
struct TracedTokens {
  std::vector<std::string> pieces{};
  std::vector<int> words{};
};

// Adds the paths, cut to the lengths of the strips that their sites name: a set for each kind,
// heads by layer. A site that comes again is another model's of an ensemble: "cross of model 2".
// What looks at an empty strip, or at one that the example does not have, is left out.
// InternalError for fewer weights than tokens.
void add_attentions(insight::TracedExample& example,
                    std::span<const decoding::AttentionPath> paths);

// The pieces of these tokens; those from the vocabulary's size on are a sentence's own.
std::vector<std::string> pieces_of(const text::Tokeniser& tokeniser,
                                   std::span<const text::Token> tokens,
                                   std::span<const std::string> own = {});

// Words as tokenisers give them, for `tokens` tokens: those after, such as the end, have none.
std::vector<int> padded_words(std::vector<int> words, std::size_t tokens);

// UsageError that says so for an example without any attention.
HEED_EXPORTED void check_attends(const insight::TracedExample& example, const std::string& model);

}  // namespace heed::pipeline
