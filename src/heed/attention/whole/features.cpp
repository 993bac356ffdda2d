// SPDX-License-Identifier: Apache-2.0
// Attention by features as an op over its kernel, and as the composition that it equals.
#include "heed/attention/whole/features.h"

#include <algorithm>
#include <new>
#include <numeric>

#include "heed/attention/whole/seen.h"
#include "heed/autograd/ops.h"
#include "heed/kernels/attention/feature_attention.h"

namespace heed::attention {
namespace {

// Features of keys and their values; both zero where nobody sees them.
struct SeenFeatures {
  Variable features, values;
};
SeenFeatures seen_features(const FeatureMaps& maps, const WholeMemory& memory,
                           const std::vector<std::int64_t>& count) {
  const Tensor seen = first_ones(count, memory.keys.size(2));
  if (!seen.defined()) return {maps.keys(memory.keys), memory.values};
  // Before the map and after it: phi of zero is not zero.
  return {where_seen(seen, maps.keys(where_seen(seen, memory.keys))),
          where_seen(seen, memory.values)};
}

std::vector<std::int64_t> queries_in_order(const WholeCall& call) {
  const auto queries = static_cast<std::size_t>(call.query.size(2));
  std::vector<std::int64_t> order(call.visible.size());
  for (std::size_t first = 0; first < order.size(); first += queries) {
    const auto begin = order.begin() + static_cast<std::ptrdiff_t>(first);
    const auto end = begin + static_cast<std::ptrdiff_t>(queries);
    std::iota(begin, end, std::int64_t{0});
    std::stable_sort(begin, end, [&](std::int64_t a, std::int64_t b) {
      return call.visible[first + static_cast<std::size_t>(a)] <
             call.visible[first + static_cast<std::size_t>(b)];
    });
  }
  return order;
}

// One call's tensors, contiguous, kept for backward.
struct FeatureOperands {
  kernels::FeatureAttentionShape shape;
  Tensor query, keys, values, before;
  std::vector<std::int64_t> seen, order;

  kernels::FeatureAttentionInput<Real> input() const {
    return {query.data(), keys.data(), values.data(), before.data(), seen.data(), order.data()};
  }
};

}  // namespace

Variable feature_context(const FeatureMaps& maps, const WholeCall& call) {
  const Variable query = maps.query(call.query);
  const SeenFeatures keys = seen_features(maps, call.memory, most_seen(call));
  const Variable& before = call.memory.sums;
  const auto count = [](std::int64_t n) { return static_cast<std::size_t>(n); };
  const auto of = std::make_shared<FeatureOperands>(
      FeatureOperands{.shape = {.batch = count(query.size(0)),
                                .key_heads = count(keys.features.size(1)),
                                .group = count(query.size(1) / keys.features.size(1)),
                                .queries = count(query.size(2)),
                                .keys = count(keys.features.size(2)),
                                .features = count(query.size(3)),
                                .columns = count(keys.values.size(3))},
                      .query = query.value().packed(),
                      .keys = keys.features.value().packed(),
                      .values = keys.values.value().packed(),
                      .before = before.value().packed(),
                      .seen = call.visible,
                      .order = queries_in_order(call)});
  Tensor context(query.shape().with(3, keys.values.size(3)));
  Tensor totals({query.size(0), query.size(1), query.size(2)});
  if (!kernels::feature_attention(of->shape, of->input(), context.mutable_data(),
                                  totals.mutable_data())) {
    throw std::bad_alloc();
  }
  const auto backward = [of, context, totals](const Tensor& gradient) -> Gradients {
    const Tensor d_context = gradient.packed();
    Tensor d_query(of->query.shape()), d_keys(of->keys.shape()), d_values(of->values.shape());
    Tensor d_before = of->before.defined() ? Tensor(of->before.shape()) : Tensor();
    if (!kernels::feature_attention_backward<Real>(
            of->shape, of->input(), context.data(), totals.data(), d_context.data(),
            {d_query.mutable_data(), d_keys.mutable_data(), d_values.mutable_data(),
             d_before.mutable_data()})) {
      throw std::bad_alloc();
    }
    return {d_query, d_keys, d_values, d_before.defined() ? Gradient(d_before) : Gradient()};
  };
  return record("feature_attention", context, {query, keys.features, keys.values, before},
                backward);
}

Variable feature_weights(const FeatureMaps& maps, const WholeCall& call) {
  const std::int64_t batch = call.query.size(0), heads = call.query.size(1),
                     queries = call.query.size(2), keys = call.memory.keys.size(2),
                     key_heads = call.memory.keys.size(1);
  const Variable query =
      reshape(maps.query(call.query), {batch, key_heads, heads / key_heads * queries, -1});
  const Variable features = seen_features(maps, call.memory, most_seen(call)).features;
  const Variable products =
      reshape(matmul(query, transpose(features)), {batch, heads, queries, keys});
  const Variable shares = where_seen(seen_matrix(call), products);
  const Variable totals = reshape(sum(shares, 3), {batch, heads, queries, 1});
  // Features that all vanish see nothing.
  const Variable one(Tensor::full({1}, 1));
  return shares / where(totals.value(), totals, one);
}

Variable feature_sums(const FeatureMaps& maps, const WholeMemory& memory,
                      const std::vector<std::int64_t>& count) {
  const SeenFeatures keys = seen_features(maps, memory, count);
  const Variable ones(Tensor::full(keys.values.shape().with(3, 1), 1));
  const Variable sums = matmul(transpose(keys.features), concat({keys.values, ones}, 3));
  return memory.sums.defined() ? sums + memory.sums : sums;
}

}  // namespace heed::attention
