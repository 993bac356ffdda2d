// SPDX-License-Identifier: Apache-2.0
// A model of sentence embeddings (Reimers & Gurevych 2019): the states of a text, pooled into one
// vector, so that texts of one meaning lie side by side. What it learns from are pairs of such
// texts, each against all others of its batch (InfoNCE; van den Oord 2018).
//
// Letters: B texts, D features.
#pragma once  // public header

#include "heed/models/pooling.h"

#pragma GCC visibility push(default)  // exported

namespace heed::models {

struct EmbedderOptions {
  TextEncoderOptions encoder{};
  Summary pooling = Summary::mean;  // over all tokens, those that begin and end the text included
  bool normalised = true;           // whether vectors have the length 1
};

class Embedder {
 public:
  Embedder(const EmbedderOptions& options, Random& random);

  // [B,D]
  Variable operator()(const Sequences& text, const Call& call = {}) const;

  std::int64_t width() const { return encoder_.width(); }  // D
  std::int64_t longest() const { return encoder_.longest(); }
  void visit(nn::ParameterVisitor& visitor);

 private:
  EmbedderOptions options_;
  TextEncoder encoder_;
};

// x [B,D], each row of length 1; a row of zeros stays.
Variable unit_rows(const Variable& x);

// How far each pair is from being the likeliest of its batch [B]: the mean of -log softmax of
// cosine / temperature over the second texts for a first one, and over the first for a second. A
// text that stands in the batch twice, by `first_ids` and `second_ids`, is no wrong answer.
Variable contrast(const Variable& first, const Variable& second, const Sequences& first_texts,
                  const Sequences& second_texts, Real temperature);

}  // namespace heed::models

#pragma GCC visibility pop
