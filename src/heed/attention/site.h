// SPDX-License-Identifier: Apache-2.0
// Site: where an attention sits in a model, as the model itself says it. Traces, pictures, audits
// and searches read nothing else of it.
#pragma once  // public header

#include <string_view>

#pragma GCC visibility push(default)  // exported

namespace heed::attention {

// What an attention is for.
enum class Role {
  self,               // a sequence over itself
  cross,              // a decoder over its source
  copy,               // how likely each place of the source is to be copied
  pointing,           // which element of the input is the next of the output: weights that say it
  history,            // a recurrent network over its own past states
  pooling,            // a learned or given query over a text
  words,              // one vector of the words of a sentence
  question,           // one vector of a second text
  rationale,          // which words of a text are kept
  syntax,             // the word that each word of a text hangs on
  context_words,      // the words of the sentences before
  context_sentences,  // the sentences before
  memory,             // a question over the slots of a memory
  other
};

// The names are literals: a site is copied into every trace and lives as long as it.
struct Site {
  Role role = Role::other;
  // What people know all attentions of this kind by: "encoder self", "cross", ...
  std::string_view set = "attention";
  // The strips of tokens that it joins: "source", "target", ...
  std::string_view queries = "queries";
  std::string_view keys = "keys";
  int layer = 0;
  int aspect = 0;  // of classifiers that judge several
  int hop = 0;     // of those that look several times
  // Tokens of the strip of keys before the first key: a token in front that only asks.
  int first_key = 0;
  bool stepwise = false;     // whether its queries are written one after another
  bool by_sentence = false;  // whether rows of the batch are sentences of documents, not documents

  bool operator==(const Site&) const = default;
  Site at_layer(int number) const {
    Site one = *this;
    one.layer = number;
    return one;
  }
};

}  // namespace heed::attention

#pragma GCC visibility pop
