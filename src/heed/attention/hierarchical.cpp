// SPDX-License-Identifier: Apache-2.0
// Words to sentences, sentences to one vector, and the gate, as multi-head attentions over reshaped
// batches.
//
// With h a state and words_j the words of the j-th sentence before it (Miculicich 2018, section 2):
//
//   s_j    = attend(h, words_j)          the words of each sentence
//   d      = attend(h, s_1 ... s_K)      the sentences
//   lambda = sigmoid(W_h h + W_d d + b)
//   h~     = lambda h + (1 - lambda) d
//
// The linear maps of the queries are those of the heads; there is no feed-forward block before d.
#include "heed/attention/hierarchical.h"

#include <algorithm>
#include <optional>

#include "heed/attention/make_parts.h"
#include "heed/base/error.h"

namespace heed::attention {
namespace {

// Rows b of [B,...] as K rows each, b*K to b*K+K-1.
Ids repeated(const Ids& rows, std::int64_t count) {
  Ids all({rows.size() * count});
  std::int32_t* out = all.mutable_data();
  for (const std::int32_t row : rows.span()) {
    for (std::int64_t k = 0; k < count; ++k) *out++ = static_cast<std::int32_t>(row * count + k);
  }
  return all;
}

// How many sentences are before each sequence.
Ids counted(const Ids& rows, std::int64_t sentences) {
  Ids counts({rows.size(0)});
  const Ids packed = rows.packed();
  const std::int64_t most = rows.size(1);
  for (std::int64_t b = 0; b < rows.size(0); ++b) {
    const std::span mine(packed.data() + b * most, static_cast<std::size_t>(most));
    const auto end = std::ranges::find(mine, -1);
    counts.mutable_data()[b] = static_cast<std::int32_t>(end - mine.begin());
    const bool right = std::all_of(mine.begin(), end,
                                   [&](std::int32_t row) { return row >= 0 && row < sentences; }) &&
                       std::all_of(end, mine.end(), [](std::int32_t row) { return row == -1; });
    if (!right) {
      throw UsageError(
          "hierarchical attention: sequence {} has the sentences [{}]; it takes rows 0 to {}, then "
          "-1 "
          "for those that are not there",
          b, fmt::join(mine, ","), sentences - 1);
    }
  }
  return counts;
}

// A level computes with its sequences in rows of their own; an observer sees them together.
class Together final : public Observer {
 public:
  using Turn = Variable (*)(const Variable& x, const Shape& sizes);
  // `there` turns a level's weights [N,H,q,k] into those that are shown; `back` turns them again.
  // `sizes` holds B, K and Q.
  Together(Observer& watch, const Shape& sizes, Turn there, Turn back)
      : watch_(watch), sizes_(sizes), there_(there), back_(back) {}

  bool wants_weights(const Site& site) const override { return watch_.wants_weights(site); }
  Variable weights(const ObservedWeights& observed) override {
    const Variable shown = there_(observed.weights, sizes_);
    const Tensor masked = there_(observed.masked, sizes_).value().packed();
    return back_(watched_weights(watch_, {.site = observed.site,
                                          .first_sequence = observed.first_sequence,
                                          .first_head = observed.first_head,
                                          .first_query = observed.first_query,
                                          .weights = shown,
                                          .scores = there_(observed.scores, sizes_),
                                          .values = observed.values,
                                          .masked = masked}),
                 sizes_);
  }
  void attended(const ObservedAttention& observed) override {
    ObservedAttention shown = observed;
    if (observed.weights.defined())
      shown.weights = there_(observed.weights, sizes_).value().packed();
    shown.log_probability = draws_together(observed.log_probability);
    shown.entropy = draws_together(observed.entropy);
    watch_.attended(shown);
  }

 private:
  // [N,H,q] -> [B,H,Q], as weights for one key that are added up.
  Variable draws_together(const Variable& x) const {
    if (!x.defined()) return x;
    return sum(there_(reshape(x, x.shape().inserted(3, 1)), sizes_), 3);
  }

  Observer& watch_;
  Shape sizes_;
  Turn there_, back_;
};

// [B*K,H,Q,W] <-> [B,H,Q,K*W]
Variable words_together(const Variable& x, const Shape& sizes) {
  const std::int64_t heads = x.size(1), queries = x.size(2), words = x.size(3);
  return reshape(permute(reshape(x, {sizes[0], sizes[1], heads, queries, words}), {0, 2, 3, 1, 4}),
                 {sizes[0], heads, queries, sizes[1] * words});
}
Variable words_apart(const Variable& x, const Shape& sizes) {
  const std::int64_t heads = x.size(1), queries = x.size(2), words = x.size(3) / sizes[1];
  return reshape(permute(reshape(x, {sizes[0], heads, queries, sizes[1], words}), {0, 3, 1, 2, 4}),
                 {sizes[0] * sizes[1], heads, queries, words});
}

// [B*Q,H,1,K] <-> [B,H,Q,K]
Variable sentences_together(const Variable& x, const Shape& sizes) {
  return permute(reshape(x, {sizes[0], sizes[2], x.size(1), x.size(3)}), {0, 2, 1, 3});
}
Variable sentences_apart(const Variable& x, const Shape& sizes) {
  return reshape(permute(x, {0, 2, 1, 3}), {sizes[0] * sizes[2], x.size(1), 1, x.size(3)});
}

}  // namespace

HierarchicalMemory HierarchicalMemory::reordered(const Ids& rows) const {
  if (sentences == 0) return {};
  return {.words = words.reordered(repeated(rows, sentences)),
          .counts = rows_of(counts, rows),
          .sentences = sentences};
}

HierarchicalAttention::HierarchicalAttention(const HierarchicalOptions& options, Random& random)
    : words_(std::make_shared<MultiHead>(
          MultiHeadOptions{
              .mechanism = options.words, .query_width = options.width, .heads = options.heads},
          random)),
      sentences_(std::make_shared<MultiHead>(
          MultiHeadOptions{
              .mechanism = options.sentences, .query_width = options.width, .heads = options.heads},
          random)),
      gate_x_(options.width, options.width, random),
      gate_context_(options.width, options.width, random, {.bias = false}),
      visible_(pattern_of("padding")) {}

void HierarchicalAttention::visit(nn::ParameterVisitor& visitor) {
  visitor("words", *words_);
  visitor("sentences", *sentences_);
  visitor("gate_x", gate_x_);
  visitor("gate_context", gate_context_);
}

void HierarchicalAttention::separate() {
  for (std::shared_ptr<MultiHead>* level : {&words_, &sentences_}) {
    if (*level != nullptr) *level = std::make_shared<MultiHead>(**level);
  }
}

HierarchicalMemory HierarchicalAttention::memory(const Variable& words, const Ids& lengths,
                                                 const Ids& rows) const {
  if (words.rank() != 3 || lengths.shape() != Shape({words.size(0)}) || rows.rank() != 2) {
    throw UsageError(
        "hierarchical attention: words {}, lengths {}, rows {}; it takes [C,W,D], [C], [B,K]",
        words.shape().text(), lengths.shape().text(), rows.shape().text());
  }
  HierarchicalMemory memory{.counts = counted(rows, words.size(0)), .sentences = rows.size(1)};
  const Ids packed = rows.packed();
  Ids places({rows.size()});
  std::ranges::transform(packed.span(), places.mutable_data(),
                         [](std::int32_t row) { return std::max(row, 0); });
  memory.words = words_->memory(words, words, {.lengths = lengths}).reordered(places);
  // A sentence that is not there has no word to look at.
  std::int32_t* own = memory.words.data.lengths.mutable_data();
  for (std::int64_t i = 0; i < rows.size(); ++i) {
    if (packed.data()[i] < 0) own[i] = 0;
  }
  return memory;
}

Variable HierarchicalAttention::operator()(const Variable& x, const HierarchicalMemory& memory,
                                           const HierarchicalCall& call) const {
  if (memory.sentences == 0) return x;
  const std::int64_t batch = x.size(0), queries = x.size(1), width = x.size(2);
  const std::int64_t sentences = memory.sentences;
  const Shape sizes{batch, sentences, queries};
  std::optional<Together> over_words, over_sentences;
  if (call.watch != nullptr) {
    over_words.emplace(*call.watch, sizes, words_together, words_apart);
    over_sentences.emplace(*call.watch, sizes, sentences_together, sentences_apart);
  }
  const auto options = [&](std::optional<Together>& watch, const Site& site) -> AttendOptions {
    return {
        .noise = call.noise, .pattern = visible_, .watch = watch ? &*watch : nullptr, .site = site};
  };

  const Variable asking =
      reshape(expand(reshape(x, {batch, 1, queries, width}), {batch, sentences, queries, width}),
              {batch * sentences, queries, width});
  const Variable each =
      reshape(words_->attend(asking, memory.words, {}, options(over_words, call.words)).context,
              {batch, sentences, queries, width});
  const Variable keys = reshape(permute(each, {0, 2, 1, 3}), {batch * queries, sentences, width});
  Ids lengths({batch * queries});
  for (std::int64_t i = 0; i < lengths.size(); ++i) {
    lengths.mutable_data()[i] = memory.counts.span()[static_cast<std::size_t>(i / queries)];
  }
  const Memory summaries = sentences_->memory(keys, keys, {.lengths = lengths});
  const Variable context = reshape(sentences_
                                       ->attend(reshape(x, {batch * queries, 1, width}), summaries,
                                                {}, options(over_sentences, call.sentences))
                                       .context,
                                   {batch, queries, width});

  Tensor there({batch, 1, 1});
  std::ranges::transform(memory.counts.span(), there.mutable_data(),
                         [](std::int32_t count) { return count > 0 ? Real{1} : Real{0}; });
  const Variable kept = sigmoid(gate_x_(x) + gate_context_(context));
  return x + there * ((1 - kept) * (context - x));
}

}  // namespace heed::attention
