// SPDX-License-Identifier: Apache-2.0
// WordObserver: an observer that is also shown the vectors of the words that a model reads, before
// their positions, and may return others in their place: for gradients by words, or texts between
// texts. Given to a call by itself, not among others.
//
// Letters: B texts, S tokens, E features.
#pragma once  // public header

#include "heed/models/call.h"
#include "heed/nn/embedding.h"

#pragma GCC visibility push(default)  // exported

namespace heed::models {

class WordObserver : public attention::Observer {
 public:
  bool wants_weights(const attention::Site&) const override { return false; }
  // The vectors [B,S,E] of this text, whose site is that of its encoder, or others of that shape.
  virtual Variable words(const attention::Site& site, const Variable& vectors) = 0;
};

// Whether a call's observer is one.
bool watches_words(const Call& call);
// Vectors [B,S,E] as a call's observer leaves them; as they are without one. UsageError for vectors
// of another shape.
Variable watched_words(const Call& call, const attention::Site& site, const Variable& vectors);

// The same as a table to look words up in: that of the model, or one with a row for each token.
struct WatchedTable {
  nn::Embedding table{};
  Ids ids{};
};
WatchedTable watched_table(const Call& call, const attention::Site& site,
                           const nn::Embedding& table, const Ids& ids);

}  // namespace heed::models

#pragma GCC visibility pop
