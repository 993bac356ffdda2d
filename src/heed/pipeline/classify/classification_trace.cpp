// SPDX-License-Identifier: Apache-2.0
// Aspects become rows, hops layers, and the sentences of a document blocks of one matrix.
#include "heed/pipeline/classify/classification_trace.h"

#include <fmt/format.h>

#include <algorithm>

#include "heed/tensor/join.h"

namespace heed::pipeline {
namespace {

using decoding::AttentionPath;

constexpr const char* kEncoderSelf = "encoder self";
constexpr const char* kSecondSelf = "second self";
constexpr const char* kPooling = "pooling";
constexpr const char* kWords = "words";
constexpr const char* kCross = "cross";

struct Places {
  bool token = false;      // a token in front asks
  bool sentences = false;  // texts are documents
  bool compared = false;   // the second text's words are pooled
};

std::vector<Seat> seats(const Places& places) {
  return {{kEncoderSelf, "text", "text"},
          {kSecondSelf, "second", "second"},
          {kCross, "second", "text"},
          {kWords, "sentences", "text"},
          {"question", "question", "second"},
          {kPooling, "aspects",
           places.sentences  ? "sentences"
           : places.compared ? "second"
                             : "text"}};
}

bool has(const attention::Trace& trace, const std::string& kind) {
  return std::ranges::any_of(trace.entries(),
                             [&](const auto& entry) { return entry.site.kind == kind; });
}

// The sentences of document `row`, of which each left a row of its own, as blocks of one matrix:
// [H,queries,N] with N the tokens of the document. A sentence has as many queries as tokens, or one
// in all.
AttentionPath assembled(const attention::Trace::Entry& entry, const models::SentenceRows& cut,
                        std::int64_t row, std::int64_t tokens) {
  const std::int64_t sentences = cut.counts.at({row});
  const bool one = entry.site.kind == kWords;
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

// The aspects of one hop, one below the other; `shift` keys that stand before the text are hidden.
class Poolings {
 public:
  explicit Poolings(std::int64_t shift) : shift_(shift) {}

  // "hop 0", "hop 1", ... and last "pooling", each with a layer per aspect.
  void add(const AttentionPath& path) {
    Tensor rows = path.weights;  // [1,1,K]
    if (shift_ > 0) {
      rows = concat(std::vector<Tensor>{Tensor::full({1, 1, shift_}, attention::kMasked), rows}, 2);
    }
    const auto aspect = static_cast<std::size_t>(path.site.layer);
    if (hops_.size() <= aspect) hops_.resize(aspect + 1);
    hops_[aspect].push_back(rows);
  }
  std::vector<AttentionPath> paths() const {
    std::vector<AttentionPath> all;
    for (std::size_t hop = 0; !hops_.empty() && hop < hops_.front().size(); ++hop) {
      std::vector<Tensor> rows;
      for (const std::vector<Tensor>& aspect : hops_) rows.push_back(aspect[hop]);
      all.push_back({{static_cast<int>(hop), kPooling}, concat(rows, 1)});
    }
    return all;
  }

 private:
  std::int64_t shift_;
  std::vector<std::vector<Tensor>> hops_;  // by aspect, then by hop
};

std::vector<AttentionPath> document_paths(const attention::Trace& trace,
                                          const models::ClassifierInput& input, std::int64_t row) {
  const models::SentenceRows cut = models::sentence_rows(input.text);
  Poolings poolings(0);
  std::vector<AttentionPath> paths;
  for (const attention::Trace::Entry& entry : trace.entries()) {
    if (entry.site.kind == kPooling) {
      poolings.add({entry.site, entry.weights.select(0, row)});
    } else {
      paths.push_back(assembled(entry, cut, row, input.text.lengths.at({row})));
    }
  }
  for (AttentionPath& path : poolings.paths()) paths.push_back(std::move(path));
  return paths;
}

std::vector<AttentionPath> text_paths(const attention::Trace& trace, std::int64_t row,
                                      std::int64_t shift) {
  Poolings poolings(shift);
  std::vector<AttentionPath> paths;
  for (AttentionPath& path : decoding::paths_of(trace, row)) {
    if (path.site.kind == kPooling || path.site.kind.starts_with("hop ")) {
      poolings.add(path);
      continue;
    }
    // The same encoder reads the second text behind the first.
    const bool again =
        path.site.kind == kEncoderSelf &&
        std::ranges::any_of(paths, [&](const AttentionPath& other) {
          return other.site.kind == kEncoderSelf && other.site.layer == path.site.layer;
        });
    if (again) path.site.kind = kSecondSelf;
    paths.push_back(std::move(path));
  }
  for (AttentionPath& path : poolings.paths()) paths.push_back(std::move(path));
  return paths;
}

insight::TokenStrip strip(const char* name, const TracedTokens& text) {
  return {.name = name, .tokens = text.pieces, .words = text.words};
}

}  // namespace

insight::TracedExample traced(const TracedJudgement& judgement, const attention::Trace& trace,
                              const models::ClassifierInput& input, std::int64_t row) {
  Places places{.sentences = has(trace, kWords), .compared = has(trace, kCross)};
  for (const attention::Trace::Entry& entry : trace.entries()) {
    // Only a token in front makes the encoder read more than the text.
    if (entry.site.kind == kEncoderSelf && !places.sentences && !input.second.ids.defined()) {
      places.token = entry.weights.size(3) > input.text.ids.size(1);
    }
  }
  insight::TracedExample example{.title = judgement.title};
  TracedTokens text = judgement.text;
  if (places.token) {
    text.pieces.insert(text.pieces.begin(), "<s>");
    text.words.insert(text.words.begin(), -1);
  }
  example.strips.push_back(strip("text", text));
  if (!judgement.second.pieces.empty()) {
    example.strips.push_back(strip("second", judgement.second));
  }
  if (places.sentences) {
    insight::TokenStrip sentences{.name = "sentences"};
    const std::int64_t count = models::sentence_rows(input.text).counts.at({row});
    for (std::int64_t m = 0; m < count; ++m) {
      sentences.tokens.push_back(fmt::format("sentence {}", m + 1));
    }
    example.strips.push_back(std::move(sentences));
  }
  if (has(trace, "question")) {
    example.strips.push_back({.name = "question", .tokens = {"summary"}});
  }
  example.strips.push_back({.name = "aspects", .tokens = judgement.aspects});
  add_attentions(example,
                 places.sentences ? document_paths(trace, input, row)
                                  : text_paths(trace, row, places.token ? 1 : 0),
                 seats(places));
  return example;
}

}  // namespace heed::pipeline
