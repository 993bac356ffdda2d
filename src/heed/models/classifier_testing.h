// SPDX-License-Identifier: Apache-2.0
// Every kind of classifier, small, for the tests of its laws and gradients.
#pragma once

#include <utility>
#include <vector>

#include "heed/models/classifier.h"
#include "heed/models/testing.h"

namespace heed::models::testing {

inline ClassifierOptions tiny_classifier() {
  return {.encoder = {.vocabulary = 20, .embedding = 5, .hidden = 4}, .classes = {3}};
}

inline std::vector<std::pair<const char*, ClassifierOptions>> classifier_kinds() {
  std::vector<std::pair<const char*, ClassifierOptions>> all;
  const auto add = [&](const char* name, auto change) {
    ClassifierOptions options = tiny_classifier();
    change(options);
    all.emplace_back(name, options);
  };
  add("Plain", [](auto&) {});
  add("Bag", [](auto& o) { o.encoder.kind = TextEncoderKind::bag; });
  add("Cnn", [](auto& o) { o.encoder.kind = TextEncoderKind::cnn; });
  add("Transformer", [](auto& o) {
    o.encoder.kind = TextEncoderKind::transformer;
    o.encoder.stack = {.width = 8, .heads = 2, .inner = 12, .layers = 1, .dropout = 0};
  });
  add("Mean", [](auto& o) { o.attention = "none"; });
  add("Maximum", [](auto& o) {
    o.attention = "none";
    o.summary = Summary::maximum;
  });
  add("Last", [](auto& o) {
    o.attention = "none";
    o.summary = Summary::last;
  });
  add("Sparse", [](auto& o) { o.attention = "bilinear | full | entmax(alpha=1.5)"; });
  add("Token", [](auto& o) { o.query = PoolingQuery::token; });
  add("Words", [](auto& o) { o.keys = PoolingKeys::words; });
  add("TokenAndWords", [](auto& o) {
    o.query = PoolingQuery::token;
    o.keys = PoolingKeys::words;
  });
  add("Aspects", [](auto& o) { o.classes = {2, 4, 3}; });
  add("Question", [](auto& o) {
    o.second = true;
    o.hops = 2;
  });
  add("QuestionWithoutAttention", [](auto& o) {
    o.second = true;
    o.attention = "none";
  });
  add("Joined", [](auto& o) {
    o.second = true;
    o.matching = Matching::joined;
  });
  add("JoinedBySegments", [](auto& o) {
    o.second = true;
    o.matching = Matching::joined;
    o.joints = 2;
    o.attention = "none";
    o.summary = Summary::first;
    o.head = Activation::tanh;
    o.encoder.kind = TextEncoderKind::transformer;
    o.encoder.stack = {
        .width = 8, .heads = 2, .inner = 12, .layers = 1, .segments = 2, .dropout = 0};
  });
  add("Root", [](auto& o) {
    o.attention = "none";
    o.summary = Summary::root;
  });
  add("WordByWord", [](auto& o) {
    o.second = true;
    o.matching = Matching::words;
  });
  add("Rationale", [](auto& o) {
    o.attention = "none";
    o.rationale = {.gate = "sparsemax", .hidden = 6};
  });
  add("RationaleInOrder", [](auto& o) {
    o.attention = "none";
    o.rationale = {.gate = "sparsemax", .predictor = TextEncoderKind::rnn, .hidden = 6};
  });
  add("Syntax", [](auto& o) { o.syntax = "bilinear | full | tree"; });
  add("SyntaxOfPairs", [](auto& o) {
    o.second = true;
    o.matching = Matching::words;
    o.syntax = "scaled_dot | full | tree(projective=false)";
  });
  add("Matchings", [](auto& o) {
    o.second = true;
    o.matching = Matching::words;
    o.attention = "bilinear | full | sinkhorn(iterations=5)";
  });
  add("Documents", [](auto& o) { o.documents = true; });
  return all;
}

// Four texts; with documents some have two sentences.
inline ClassifierInput classifier_input(const ClassifierOptions& options, Random& random) {
  ClassifierInput input{.text = random_sequences({5, 2, 7, 1}, 20, random)};
  if (options.second) input.second = random_sequences({3, 4, 1, 2}, 20, random);
  if (options.documents) {
    input.text.ids.mutable_data()[1] = text::kEnd;
    input.text.ids.mutable_data()[2 * 7 + 3] = text::kEnd;
  }
  return input;
}

}  // namespace heed::models::testing
