// SPDX-License-Identifier: Apache-2.0
// TraceDocument: what a model looked at, with the tokens of both sides. It is the content of a
// trace file, and what every picture and page is drawn from.
//
//   document.examples[0].attentions[0].heads[0].weights  // [Q,K] of one head
#pragma once  // public header

#include <optional>
#include <string>
#include <vector>

#include "heed/attention/trace.h"
#include "heed/tensor/tensor.h"
#include "heed/text/pharaoh.h"

#pragma GCC visibility push(default)  // exported

namespace heed::insight {

// What the cells hold of keys that a query was not allowed to see; 0 is a weight like others.
using attention::kMasked;

// The tokens of one side, as the model read or wrote them.
struct TokenStrip {
  std::string name{};  // "source", "target", "text", ...; attentions refer to it
  std::vector<std::string> tokens{};
  // The word each token belongs to, counted from 0; -1: none, such as an end. Empty: each token is
  // a word.
  std::vector<int> words{};
};

struct TracedHead {
  int layer = 0;
  int head = 0;
  Tensor weights{};  // [Q,K], at least 0, or kMasked
  // What the head has learnt that has a name, "alpha 1.32"; of models in hand: files leave it out.
  std::string learnt{};
};

// All layers and heads of one kind of attention.
struct AttentionSet {
  std::string kind{};     // "encoder self", "decoder self", "cross", "pooling", "history", "copy"
  std::string queries{};  // the name of their strip
  std::string keys{};
  bool stepwise = false;            // whether queries were written one after another
  std::vector<TracedHead> heads{};  // by layer, then by head
};

// A part of an image, in shares of its width and height; it may hang over the edge.
struct ImageBox {
  double left = 0, top = 0, right = 1, bottom = 1;

  bool operator==(const ImageBox&) const = default;
};

// An image whose regions are the tokens of a strip, row by row.
struct ImageGrid {
  std::string strip{};
  int rows = 0;
  int columns = 0;
  std::string png{};             // the file's bytes; empty: a plain ground
  std::vector<ImageBox> gold{};  // what the answer rests on, where that is known
  // What each query of the attentions over the strip saw, one box for each scale; empty: regions.
  std::vector<std::vector<ImageBox>> looks{};
};

struct TracedExample {
  std::string title{};
  std::vector<TokenStrip> strips{};
  std::vector<AttentionSet> attentions{};
  std::optional<text::Alignment> gold{};  // links of words, source to target
  std::optional<ImageGrid> image{};
};

struct TraceDocument {
  std::string model{};  // the name people know it by
  std::string task{};   // "translate", "language", "classify", ...
  std::vector<TracedExample> examples{};
};

// UsageError with `where` and the place inside for a document that does not hold together: strips
// that are named twice or missing, weights whose shape is not [queries, keys], weights that are
// negative or infinite, heads twice or out of order, words out of order, gold links or image
// regions beyond their strip.
void check(const TraceDocument& document, const std::string& where = "trace");

// The strip of that name. UsageError when there is none.
const TokenStrip& strip_of(const TracedExample& example, const std::string& name);

}  // namespace heed::insight

#pragma GCC visibility pop
