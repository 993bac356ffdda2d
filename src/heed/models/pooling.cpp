// SPDX-License-Identifier: Apache-2.0
// Weights over the states of a text, or rules that need none.
#include "heed/models/pooling.h"

#include <cmath>
#include <limits>

#include "heed/attention/make_parts.h"
#include "heed/attention/patterns/own_pattern.h"
#include "heed/autograd/ops.h"
#include "heed/nn/initialisers.h"
#include "heed/nn/lengths.h"

namespace heed::models {
namespace {

// [B,S,1]: 1 for tokens, 0 for padding.
Tensor token_mask(const EncodedText& text) {
  const std::int64_t batch = text.states.size(0), tokens = text.states.size(1);
  Tensor mask = Tensor::zeros({batch, tokens, 1});
  for (std::int64_t b = 0; b < batch; ++b) {
    std::fill_n(mask.mutable_data() + b * tokens, text.lengths.at({b}), Real{1});
  }
  return mask;
}

// The first queries [B] over the first keys [B] of each text.
std::shared_ptr<const attention::Pattern> rectangles(const Ids& queries, const Ids& keys) {
  return attention::own_pattern([queries, keys](const attention::MaskTile& tile) {
    const std::int64_t rows = queries.at({tile.batch}), columns = keys.at({tile.batch});
    for (std::int64_t r = 0; r < tile.rows; ++r) {
      for (std::int64_t c = 0; c < tile.columns; ++c) {
        tile.row(r)[c] = tile.query + r < rows && tile.key + c < columns;
      }
    }
  });
}

}  // namespace

const std::vector<std::string>& summary_names() {
  static const std::vector<std::string> names = {"mean", "max", "last", "first", "root"};
  return names;
}

Variable summary_of(Summary rule, const EncodedText& text) {
  if (rule == Summary::last) return text.last;
  if (rule == Summary::first) return select(text.states, 1, 0);
  const Tensor mask = token_mask(text).expand(text.states.shape());
  if (rule == Summary::maximum) {
    const Tensor lowest = Tensor::scalar(std::numeric_limits<Real>::lowest());
    return maximum(where(mask, text.states, Variable(lowest)), 1);
  }
  Tensor shares({text.lengths.size(), 1});
  for (std::int64_t b = 0; b < shares.size(); ++b) {
    const auto count = static_cast<Real>(text.lengths.at({b}));
    shares.mutable_data()[b] = Real{1} / (rule == Summary::root ? std::sqrt(count) : count);
  }
  const Variable none(Tensor::scalar(0));
  return sum(where(mask, text.states, none), 1) * Variable(shares);
}

AttentionPooling::AttentionPooling(const AttentionPoolingOptions& options, Random& random)
    : mechanism_(attention::make_attention(
          options.mechanism,
          {.query_width = options.query_width,
           .key_width = options.word_width > 0 ? options.word_width : options.width,
           .value_width = options.width},
          random)),
      words_(options.word_width > 0),
      dropout_(options.dropout),
      tokens_(attention::pattern_of("padding")) {}

Variable AttentionPooling::operator()(const Variable& query, const EncodedText& text,
                                      const attention::Site& site, const Call& call,
                                      const Ids& queries) const {
  const std::int64_t batch = query.size(0), count = query.size(1);
  const bool together = queries.defined() && mechanism_->weighs_all_queries();
  const auto one_head = [batch](const Variable& x) {
    return reshape(x, {batch, 1, x.size(1), x.size(2)});
  };
  const attention::Memory memory =
      mechanism_->memory(one_head(words_ ? text.words : text.states), one_head(text.states),
                         {.lengths = together ? Ids() : text.lengths});
  const attention::Attended found =
      mechanism_->attend(reshape(query, {batch, 1, count, query.size(2)}), memory, {},
                         {.noise = call.noise,
                          .dropout = call.noise != nullptr ? dropout_ : 0,
                          .pattern = together ? rectangles(queries, text.lengths) : tokens_,
                          .watch = call.watch,
                          .site = site});
  return reshape(found.context, {batch, count, text.states.size(2)});
}

LearnedPooling::LearnedPooling(const AttentionPoolingOptions& options, Random& random)
    : query(nn::parameter(nn::uniform({options.query_width}, random, Real(-.1), Real(.1)))),
      pooling(options, random) {}

Variable LearnedPooling::operator()(const EncodedText& text, const attention::Site& site,
                                    const Call& call) const {
  const std::int64_t batch = text.states.size(0);
  const Variable same = expand(query, {batch, 1, query.size(0)});
  return reshape(pooling(same, text, site, call), {batch, text.states.size(2)});
}

void LearnedPooling::visit(nn::ParameterVisitor& visitor) {
  visitor("query", query);
  visitor("attention", pooling);
}

}  // namespace heed::models
