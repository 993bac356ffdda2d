// SPDX-License-Identifier: Apache-2.0
// The pointer-generator (See 2017): at each step a decoder generates a word of the vocabulary or
// copies one of the source, out-of-vocabulary words included.
#pragma once  // public header

#include "heed/models/encoder_decoder.h"
#include "heed/nn/linear.h"

#pragma GCC visibility push(default)  // exported

namespace heed::models {

// What can be copied of a source.
struct CopySource {
  Ids copies{};          // [B,S], Source's
  std::int64_t own = 0;  // the most words of its own that a sentence has: the logits' columns
                         // after the vocabulary

  void visit(StateVisitor& visitor) { visitor("copies", copies); }
};
// UsageError naming the model when the source does not say, or does not fit.
CopySource copy_source(const char* model, const Source& source, std::int64_t vocabulary);

// Letters as in encoder_decoder.h; X words of a sentence's own, F features.
class PointerGenerator {
 public:
  PointerGenerator() = default;
  // `features` is what the choice between the two reads.
  PointerGenerator(std::int64_t features, Random& random);

  bool defined() const { return gate_.weight.defined(); }
  void visit(nn::ParameterVisitor& visitor) { visitor("gate", gate_); }

  // logits [N,V], features [N,F], weights [N,S] over the source of each row (`sources` [N]) ->
  // log-probabilities [N,V+X].
  struct Choice {
    Variable logits, features, weights;
    Ids sources;
  };
  Variable operator()(const Choice& choice, const CopySource& source) const;

  // Tells the observer how likely each query is to copy each place of the source: the probability
  // of copying times the weights of the attention that it copies with, as "copy" [B,1,T,S].
  struct Shown {
    Variable features;  // [N,F], of the queries at `places`
    Ids places;         // [N], of the queries [B*T]; all others are padding
    Tensor weights;     // [B,H,T,S], kMasked for hidden keys; not defined where nobody asked
    int layer = 0;      // of the attention
    int head = -1;      // of its heads; -1: the mean of all
  };
  void show(const Shown& shown, attention::Observer& watch) const;

 private:
  nn::Linear gate_;
};

// Ids with those after the vocabulary unknown: a decoder has no vector for a sentence's own words.
Ids known_ids(const Ids& ids, std::int64_t vocabulary);

// 0, 1, ..., count - 1.
Ids counted_rows(std::int64_t count);
// The row of [B] of each token of decode's rows: [sum of lengths].
Ids token_rows(const Sequences& sequences);

// Sum over all target tokens and source places of min(weight, weights before it): looking again at
// what was covered costs (See 2017, Eq. 12). copying [B,T,S] is Decoded's.
Variable coverage_loss(const Variable& copying, const Sequences& target);

}  // namespace heed::models

#pragma GCC visibility pop
