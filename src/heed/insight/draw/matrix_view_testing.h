// SPDX-License-Identifier: Apache-2.0
// Looks and traces that tests of pictures share.
#pragma once

#include <string>
#include <vector>

#include "heed/insight/draw/matrix_view.h"

namespace heed::insight {

// "le chat </s>" looking at "the cat sat": one zero, one weight too small for a number, one mask.
inline MatrixView small_view() {
  return {.title = "cross, layer 0, head 0",
          .query_strip = "target",
          .key_strip = "source",
          .queries = {"le", "chat", "</s>"},
          .keys = {"the", "cat", "sat"},
          .weights = Tensor::of({3, 3}, {1, 0, kMasked, 1e-6f, .75f, .25f, .2f, .3f, .5f})};
}

// "the cat sleeps", each word looking for its head: the hangs on cat, cat on sleeps, sleeps on the
// root.
inline MatrixView tree_view() {
  const std::vector<std::string> words = {"the", "cat", "sleeps"};
  return {.title = "encoder self, layer 0, head 0",
          .query_strip = "text",
          .key_strip = "text",
          .queries = words,
          .keys = words,
          .weights = Tensor::of({3, 3}, {0, .95f, .05f, .2f, 0, .8f, 0, .03f, .97f})};
}

// Every weight the same, for this many tokens.
inline MatrixView even_view(std::int64_t queries, std::int64_t keys) {
  MatrixView view{.title = "self", .query_strip = "text", .key_strip = "text"};
  for (std::int64_t i = 0; i < queries; ++i) view.queries.push_back("w" + std::to_string(i));
  for (std::int64_t i = 0; i < keys; ++i) view.keys.push_back("w" + std::to_string(i));
  view.weights = Tensor::full({queries, keys}, Real(1) / static_cast<Real>(keys));
  return view;
}

// A set with a masked corner, in two layers of three heads.
inline AttentionSet small_set() {
  AttentionSet set{.kind = "decoder self", .queries = "target", .keys = "target"};
  for (int layer = 0; layer < 2; ++layer) {
    for (int head = 0; head < 3; ++head) {
      set.heads.push_back(
          {layer, head,
           Tensor::of({3, 3}, {1, kMasked, kMasked, .5f, .5f, kMasked, 0, .25f, .75f})});
    }
  }
  return set;
}

// One example with a cross attention and small_set().
inline TraceDocument small_document() {
  const MatrixView view = small_view();
  return {.model = "demo",
          .task = "translate",
          .examples = {{.title = "the cat sat",
                        .strips = {{"source", view.keys, {}}, {"target", view.queries, {}}},
                        .attentions = {{.kind = "cross",
                                        .queries = "target",
                                        .keys = "source",
                                        .stepwise = true,
                                        .heads = {{0, 0, view.weights}}},
                                       small_set()}}}};
}

}  // namespace heed::insight
