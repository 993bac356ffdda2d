// SPDX-License-Identifier: Apache-2.0
// What observers kept of a model's attentions, put together as looks at its text.
#include <algorithm>

#include "heed/base/error.h"
#include "heed/pipeline/explained_tokens.h"
#include "heed/tensor/matmul.h"

namespace heed::pipeline {
namespace {

using Entry = insight::WeightGradients::Entry;

// The weights W_O [D, H Dv] of layers, in the order of these.
std::vector<Tensor> outputs_of_layers(const nn::Parameters& parameters, const std::string& first,
                                      std::string_view kind) {
  std::vector<Tensor> found;
  const std::string end = fmt::format("{}.W_O.weight", kind);
  for (const nn::Parameter& one : parameters) {
    if (one.name.starts_with(first) && one.name.ends_with(end)) {
      found.push_back(one.variable.value());
    }
  }
  return found;
}

// Entries of one site, which may come head by head or query by query, over `tokens` keys.
explain::Look look_of(std::span<const Entry* const> entries, std::int64_t tokens,
                      const Tensor& output) {
  std::int64_t heads = 0, queries = 0;
  for (const Entry* one : entries) {
    heads = std::max(heads, one->first_head + one->weights.size(1));
    queries = std::max(queries, one->first_query + one->weights.size(2));
  }
  explain::Look look{.weights = Tensor::zeros({heads, queries, tokens}),
                     .gradients = Tensor::zeros({heads, queries, tokens})};
  for (const Entry* one : entries) {
    const std::int64_t first_key = one->site.first_key;
    const std::int64_t keys = std::min(one->weights.size(3), tokens - first_key);
    const Tensor weights = one->weights.packed();
    // What the number does not depend on has none.
    const Tensor gradients =
        one->gradient().defined() ? one->gradient().packed() : Tensor::zeros(weights.shape());
    const std::int64_t rows = one->weights.size(2), width = one->weights.size(3);
    for (std::int64_t h = 0; h < one->weights.size(1); ++h) {
      for (std::int64_t q = 0; q < rows; ++q) {
        const std::int64_t from = (h * rows + q) * width;
        const std::int64_t to =
            ((one->first_head + h) * queries + one->first_query + q) * tokens + first_key;
        for (std::int64_t k = 0; k < keys; ++k) {
          look.weights.mutable_data()[to + k] = attention::share_of(weights.data()[from + k]);
          look.gradients.mutable_data()[to + k] = gradients.data()[from + k];
        }
      }
    }
  }
  // Values of groups of heads are shared by these. Where mechanisms differ by head or look back,
  // or what is read is not one value for each key, they stay unknown.
  const Entry& first = *entries.front();
  const Tensor& values = first.values;  // [B,G,K,Dv]
  const bool plain = std::ranges::all_of(entries, [&](const Entry* one) {
    return one->first_head == 0 && one->values.shape() == values.shape();
  });
  if (!plain || values.rank() != 4 || values.size(1) == 0 || heads % values.size(1) != 0)
    return look;
  const std::int64_t first_key = first.site.first_key, width = values.size(3),
                     keys = std::min(values.size(2), tokens - first_key);
  const std::int64_t wide = output.defined() ? output.size(0) : width;
  if (output.defined() && output.size(1) != heads * width) return look;
  look.values = Tensor::zeros({heads, tokens, wide});
  for (std::int64_t h = 0; h < heads; ++h) {
    const std::int64_t group = h / (heads / values.size(1));
    Tensor mine = values.select(0, 0).select(0, group).slice(0, 0, keys).packed();  // [K,Dv]
    if (output.defined()) {
      mine = matmul(mine, output.slice(1, h * width, (h + 1) * width).transpose().packed());
    }
    std::ranges::copy(mine.values(), look.values.mutable_data() + (h * tokens + first_key) * wide);
  }
  return look;
}

// The entries of each site that is asked for, by the first of them.
std::vector<std::vector<const Entry*>> by_site(
    const insight::WeightGradients& watched,
    const std::function<bool(const attention::Site&)>& wanted) {
  std::vector<std::vector<const Entry*>> all;
  for (const Entry& one : watched.entries()) {
    if (!wanted || !wanted(one.site)) continue;
    const auto same = std::ranges::find_if(
        all, [&](const auto& others) { return others.front()->site == one.site; });
    if (same != all.end()) {
      same->push_back(&one);
    } else {
      all.push_back({&one});
    }
  }
  return all;
}

}  // namespace

explain::Looks looks_of(const insight::WeightGradients& watched, const nn::Parameters& parameters,
                        LooksPlan plan) {
  const auto tokens = static_cast<std::int64_t>(plan.words.size());
  explain::Looks looks{.words = std::move(plan.words),
                       .size = plan.size,
                       .readout = std::move(plan.readout),
                       .causal = plan.causal};
  const auto add = [&](const auto& wanted, const std::string& first, std::string_view kind,
                       std::vector<explain::Look>& all) {
    const std::vector<Tensor> outputs = outputs_of_layers(parameters, first, kind);
    for (const std::vector<const Entry*>& one : by_site(watched, wanted)) {
      const std::size_t layer = all.size();
      all.push_back(look_of(one, tokens, layer < outputs.size() ? outputs[layer] : Tensor()));
    }
  };
  add(plan.is_layer, plan.layers, ".self", looks.layers);
  add(plan.is_read, "", ".cross", looks.reads);
  if (!looks.reads.empty()) looks.query = looks.reads.front().weights.size(1) - 1;
  return looks;
}

}  // namespace heed::pipeline
