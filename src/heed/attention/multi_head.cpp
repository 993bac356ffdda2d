// SPDX-License-Identifier: Apache-2.0
// Projects, splits into heads, attends, merges, projects back.
#include "heed/attention/multi_head.h"

#include "heed/autograd/ops.h"
#include "heed/base/error.h"

namespace heed::attention {
namespace {

std::int64_t divided(const char* what, std::int64_t width, std::int64_t heads) {
  if (heads < 1 || width % heads != 0) {
    throw UsageError("multi_head: {} {} does not divide into {} heads", what, width, heads);
  }
  return width / heads;
}

// The options with every 0 replaced by what it stands for.
MultiHeadOptions filled(MultiHeadOptions options) {
  if (options.query_width < 1) {
    throw UsageError("multi_head: query_width is {}; it takes 1 or more", options.query_width);
  }
  if (options.key_width == 0) options.key_width = options.query_width;
  if (options.value_width == 0) options.value_width = options.key_width;
  if (options.output_width == 0) options.output_width = options.query_width;
  if (options.key_heads == 0) options.key_heads = options.heads;
  if (!options.project) {
    options.head_width = divided("width", options.query_width, options.heads);
    options.head_value_width = divided("value width", options.value_width, options.key_heads);
    options.output_width = options.head_value_width * options.heads;
  }
  if (options.head_width == 0)
    options.head_width = divided("width", options.query_width, options.heads);
  if (options.head_value_width == 0) options.head_value_width = options.head_width;
  return options;
}

Spec spec_of(const MultiHeadOptions& options) {
  Spec spec = parse_spec(options.mechanism);
  if (options.bias_of_positions.empty()) return spec;
  return with_bias(std::move(spec), parse_part(options.bias_of_positions));
}

MechanismShape shape_of(const MultiHeadOptions& options) {
  return {.query_width = options.head_width,
          .key_width = options.project ? options.head_width
                                       : divided("key width", options.key_width, options.key_heads),
          .value_width = options.head_value_width,
          .heads = options.heads,
          .key_heads = options.key_heads};
}

}  // namespace

Variable split_heads(const Variable& x, std::int64_t heads) {
  if (x.rank() != 3)
    throw UsageError("multi_head: input {}; it takes [B,S,width]", x.shape().text());
  const std::int64_t width = divided("width", x.size(2), heads);
  return transpose(reshape(x, Shape{x.size(0), x.size(1), heads, width}), 1, 2);
}

Variable merge_heads(const Variable& x) {
  return reshape(transpose(x, 1, 2), Shape{x.size(0), x.size(2), x.size(1) * x.size(3)});
}

MultiHead::MultiHead(const MultiHeadOptions& options, Random& random)
    : options_(filled(options)),
      mechanism_(make_attention(spec_of(options_), shape_of(options_), random)) {
  if (!options_.project) return;
  const nn::LinearOptions linear{.bias = options_.bias};
  if (!mechanism_->shares_queries_and_keys()) {
    w_q_ = nn::Linear(options_.query_width, options_.heads * options_.head_width, random, linear);
  } else if (options_.query_width != options_.key_width || options_.heads != options_.key_heads) {
    throw UsageError(
        "multi_head: \"{}\" takes queries and keys of one projection: {} heads of inputs {} wide "
        "and {} of inputs {} wide; make them equal",
        mechanism_->written(), options_.heads, options_.query_width, options_.key_heads,
        options_.key_width);
  }
  w_k_ = nn::Linear(options_.key_width, options_.key_heads * options_.head_width, random, linear);
  w_v_ = nn::Linear(options_.value_width, options_.key_heads * options_.head_value_width, random,
                    linear);
  w_o_ = nn::Linear(options_.heads * options_.head_value_width, options_.output_width, random,
                    {.bias = options_.output_bias});
}

Variable MultiHead::key_heads(const Variable& keys, const QueryPosition& first,
                              const nn::Packing& packing) const {
  const Variable projected = options_.project ? w_k_(keys) : keys;
  const Variable heads = split_heads(packing.spread(projected), options_.key_heads);
  return options_.rotary ? turned(heads, first, 0) : heads;
}

Variable MultiHead::value_heads(const Variable& values, const nn::Packing& packing) const {
  const Variable projected = options_.project ? w_v_(values) : values;
  return split_heads(packing.spread(projected), options_.key_heads);
}

Memory MultiHead::memory(const Variable& keys, const Variable& values, const KeyData& data,
                         const nn::Packing& packing) const {
  return mechanism_->memory(key_heads(keys, 0, packing), value_heads(values, packing), data);
}

Memory MultiHead::grown(const Memory& memory, const Variable& keys, const Variable& values) const {
  const Ids& lengths = memory.data.lengths;
  const QueryPosition end = lengths.defined() ? QueryPosition(lengths) : memory.size();
  return mechanism_->grown(memory, key_heads(keys, end, {}), value_heads(values, {}));
}

Variable MultiHead::turned(const Variable& heads, const QueryPosition& first,
                           std::int64_t step) const {
  const Rotary& rotary = *options_.rotary;
  if (!first.each.defined()) return rotary(heads, first.all + step);
  if (first.each.shape() != Shape{heads.size(0)}) {
    throw UsageError("multi_head: first queries {}; it takes one per sequence, [{}]",
                     first.each.shape().text(), heads.size(0));
  }
  const std::vector<std::int32_t> positions = first.each.values();
  Variables turned;
  for (std::size_t b = 0; b < positions.size(); ++b) {
    const auto begin = static_cast<std::int64_t>(b);
    turned.push_back(rotary(slice(heads, 0, begin, begin + 1), positions[b] + step));
  }
  return turned.empty() ? heads : concat(turned, 0);
}

MultiHeadResult MultiHead::attend(const Variable& query, const Memory& memory,
                                  const AttentionState& state, const AttendOptions& options,
                                  const nn::Packing& packing) const {
  const nn::Linear& w = mechanism_->shares_queries_and_keys() ? w_k_ : w_q_;
  const Variable projected = options_.project ? w(query) : query;
  Variable heads = split_heads(packing.spread(projected), options_.heads);
  if (options_.rotary) heads = turned(heads, options.given.first_query, state.step);
  Attended attended = mechanism_->attend(heads, memory, state, options);
  const Variable merged = packing.packed(merge_heads(attended.context));
  return {options_.project ? w_o_(merged) : merged, std::move(attended)};
}

Variable MultiHead::operator()(const Variable& query, const Variable& keys, const Variable& values,
                               const KeyData& data, const AttendOptions& options) const {
  return attend(query, memory(keys, values, data), {}, options).context;
}

void MultiHead::visit(nn::ParameterVisitor& visitor) {
  if (options_.project) {
    if (!mechanism_->shares_queries_and_keys()) visitor("W_Q", w_q_);
    visitor("W_K", w_k_);
    visitor("W_V", w_v_);
    visitor("W_O", w_o_);
  }
  mechanism_->visit(visitor);
}

}  // namespace heed::attention
