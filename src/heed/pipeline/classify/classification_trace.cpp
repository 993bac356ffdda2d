// SPDX-License-Identifier: Apache-2.0
// Aspects become rows, hops layers, and the sentences of a document blocks of one matrix.
#include "heed/pipeline/classify/classification_trace.h"

#include <fmt/format.h>

#include <algorithm>

#include "heed/tensor/join.h"

namespace heed::pipeline {
namespace {

using decoding::AttentionPath;

using attention::Role;

bool has(const attention::Trace& trace, Role role) {
  return std::ranges::any_of(trace.entries(),
                             [&](const auto& entry) { return entry.site.role == role; });
}

// The sentences of document `row`, of which each left a row of its own, as blocks of one matrix:
// [H,queries,N] with N the tokens of the document. A sentence has as many queries as tokens, or one
// in all.
AttentionPath assembled(const attention::Trace::Entry& entry, const models::SentenceRows& cut,
                        std::int64_t row, std::int64_t tokens) {
  const std::int64_t sentences = cut.counts.at({row});
  const bool one = entry.site.role == Role::words;
  Tensor all =
      Tensor::full({entry.weights.size(1), one ? sentences : tokens, tokens}, attention::kMasked);
  std::int64_t first = 0;
  for (std::int64_t m = 0; m < sentences; ++m) {
    const std::int32_t place = cut.rows.at({row, m});
    const std::int64_t length = cut.sentences.lengths.at({place});
    for (std::int64_t h = 0; h < all.size(0); ++h) {
      for (std::int64_t q = 0; q < (one ? 1 : length); ++q) {
        Real* out = all.mutable_data() + (h * all.size(1) + (one ? m : first + q)) * tokens + first;
        for (std::int64_t k = 0; k < length; ++k) out[k] = entry.weights.at({place, h, q, k});
      }
    }
    first += length;
  }
  return {entry.site, all};
}

// The aspects of one hop, one below the other, hops as layers.
class Poolings {
 public:
  void add(const AttentionPath& path) {
    Tensor rows = path.weights;  // [1,1,K]
    if (path.site.first_key > 0) {
      const Tensor hidden = Tensor::full({1, 1, path.site.first_key}, attention::kMasked);
      rows = concat(std::vector<Tensor>{hidden, rows}, 2);
    }
    const auto hop = static_cast<std::size_t>(path.site.hop);
    if (hops_.size() <= hop) hops_.resize(hop + 1);
    hops_[hop].rows.push_back(rows);
    hops_[hop].site = path.site.at_layer(path.site.hop);
  }
  std::vector<AttentionPath> paths() const {
    std::vector<AttentionPath> all;
    for (const Hop& hop : hops_) all.push_back({hop.site, concat(hop.rows, 1)});
    return all;
  }

 private:
  struct Hop {
    attention::Site site;
    std::vector<Tensor> rows;  // by aspect
  };
  std::vector<Hop> hops_;
};

std::vector<AttentionPath> document_paths(const attention::Trace& trace,
                                          const models::ClassifierInput& input, std::int64_t row) {
  const models::SentenceRows cut = models::sentence_rows(input.text);
  Poolings poolings;
  std::vector<AttentionPath> paths;
  for (const attention::Trace::Entry& entry : trace.entries()) {
    if (entry.site.role == Role::pooling) {
      poolings.add({entry.site, entry.weights.select(0, row)});
    } else {
      paths.push_back(assembled(entry, cut, row, input.text.lengths.at({row})));
    }
  }
  for (AttentionPath& path : poolings.paths()) paths.push_back(std::move(path));
  return paths;
}

std::vector<AttentionPath> text_paths(const attention::Trace& trace, std::int64_t row) {
  Poolings poolings;
  std::vector<AttentionPath> paths;
  for (AttentionPath& path : decoding::paths_of(trace, row)) {
    if (path.site.role == Role::pooling) {
      poolings.add(path);
    } else {
      paths.push_back(std::move(path));
    }
  }
  for (AttentionPath& path : poolings.paths()) paths.push_back(std::move(path));
  return paths;
}

// Two texts that were read as one.
TracedTokens joined(TracedTokens first, const TracedTokens& second, std::int64_t joints) {
  const int words = 1 + std::ranges::max(first.words);
  const auto ends = static_cast<std::size_t>(joints - 1);
  first.pieces.insert(first.pieces.end(), ends, std::string(first.pieces.back()));
  first.words.insert(first.words.end(), ends, -1);
  first.pieces.insert(first.pieces.end(), second.pieces.begin(), second.pieces.end());
  for (const int word : second.words) first.words.push_back(word < 0 ? word : word + words);
  return first;
}

insight::TokenStrip strip(const char* name, const TracedTokens& text) {
  return {.name = name, .tokens = text.pieces, .words = text.words};
}

}  // namespace

insight::TracedExample traced(const TracedPrediction& prediction, const attention::Trace& trace,
                              const models::ClassifierInput& input, std::int64_t row) {
  // Documents are read sentence by sentence, and only a token in front comes before the first key.
  const bool sentences = std::ranges::any_of(
      trace.entries(), [](const auto& entry) { return entry.site.by_sentence; });
  const bool token = std::ranges::any_of(
      trace.entries(), [](const auto& entry) { return entry.site.first_key > 0; });
  insight::TracedExample example{.title = prediction.title};
  const bool both = prediction.joints > 0;
  TracedTokens text =
      both ? joined(prediction.text, prediction.second, prediction.joints) : prediction.text;
  if (token) {
    text.pieces.insert(text.pieces.begin(), "<s>");
    text.words.insert(text.words.begin(), -1);
  }
  example.strips.push_back(strip("text", text));
  if (!both && !prediction.second.pieces.empty()) {
    example.strips.push_back(strip("second", prediction.second));
  }
  if (sentences) {
    insight::TokenStrip numbered{.name = "sentences"};
    const std::int64_t count = models::sentence_rows(input.text).counts.at({row});
    for (std::int64_t m = 0; m < count; ++m) {
      numbered.tokens.push_back(fmt::format("sentence {}", m + 1));
    }
    example.strips.push_back(std::move(numbered));
  }
  if (has(trace, Role::rationale)) {
    example.strips.push_back({.name = "rationale", .tokens = {"kept"}});
  }
  if (has(trace, Role::question)) {
    example.strips.push_back({.name = "question", .tokens = {"summary"}});
  }
  example.strips.push_back({.name = "aspects", .tokens = prediction.aspects});
  add_attentions(example, sentences ? document_paths(trace, input, row) : text_paths(trace, row));
  return example;
}

}  // namespace heed::pipeline
