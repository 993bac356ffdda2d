// SPDX-License-Identifier: Apache-2.0
// From heads to token links to word links.
#include "heed/decoding/alignment.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "heed/base/error.h"

namespace heed::decoding {
namespace {

int words_of(std::span<const int> words) {
  return words.empty() ? 0 : *std::ranges::max_element(words) + 1;
}

void check_weights(const Tensor& weights, const char* what) {
  if (weights.rank() != 2) {
    throw UsageError("{}: weights of shape {}; it takes [T,K]", what, weights.shape().text());
  }
}

}  // namespace

Tensor alignment_weights(std::span<const AttentionPath> attentions, const AlignmentHeads& chosen) {
  const AttentionPath* found = nullptr;
  for (const AttentionPath& path : attentions) {
    if (path.site.role != attention::Role::cross ||
        (chosen.layer && path.site.layer != *chosen.layer))
      continue;
    if (found == nullptr || path.site.layer > found->site.layer) found = &path;
  }
  if (found == nullptr) {
    throw UsageError("alignment: {} attentions, none of them over the source{}", attentions.size(),
                     chosen.layer ? fmt::format(" in layer {}", *chosen.layer) : std::string());
  }
  const Tensor& weights = found->weights;
  std::vector<int> heads = chosen.heads;
  if (heads.empty()) {
    for (int head = 0; head < weights.size(0); ++head) heads.push_back(head);
  }
  Tensor mean = Tensor::zeros({weights.size(1), weights.size(2)});
  Real* out = mean.mutable_data();
  const Tensor packed = weights.packed();
  for (const int head : heads) {
    if (head < 0 || head >= weights.size(0)) {
      throw UsageError("alignment: head {} of layer {}, which has heads 0 to {}", head,
                       found->site.layer, weights.size(0) - 1);
    }
    const Real* one = packed.data() + head * mean.size();
    for (std::int64_t i = 0; i < mean.size(); ++i) out[i] += attention::share_of(one[i]);
  }
  for (std::int64_t i = 0; i < mean.size(); ++i) out[i] /= static_cast<Real>(heads.size());
  return mean;
}

text::Alignment token_links(const Tensor& weights, std::optional<double> threshold) {
  check_weights(weights, "token links");
  std::vector<text::Link> links;
  const Tensor packed = weights.packed();
  const auto keys = static_cast<int>(weights.size(1));
  for (int target = 0; target < weights.size(0); ++target) {
    const std::span row(packed.data() + std::int64_t{target} * keys,
                        static_cast<std::size_t>(keys));
    if (threshold) {
      for (int source = 0; source < keys; ++source) {
        if (row[static_cast<std::size_t>(source)] >= *threshold) links.push_back({source, target});
      }
    } else if (keys > 0) {
      links.push_back({static_cast<int>(std::ranges::max_element(row) - row.begin()), target});
    }
  }
  return text::ordered(std::move(links));
}

text::Alignment word_links(const text::Alignment& tokens, const AlignedWords& words) {
  std::vector<text::Link> links;
  for (const text::Link& link : tokens) {
    const auto source = static_cast<std::size_t>(link.source);
    const auto target = static_cast<std::size_t>(link.target);
    if (source >= words.source.size() || target >= words.target.size()) continue;
    links.push_back({words.source[source], words.target[target]});
  }
  return text::ordered(std::move(links));
}

Tensor word_weights(const Tensor& weights, const AlignedWords& words) {
  check_weights(weights, "word weights");
  const int columns = words_of(words.source);
  Tensor sums = Tensor::zeros({words_of(words.target), columns});
  Real* out = sums.mutable_data();
  const Tensor packed = weights.packed();
  const auto targets = std::min(words.target.size(), static_cast<std::size_t>(weights.size(0)));
  const auto sources = std::min(words.source.size(), static_cast<std::size_t>(weights.size(1)));
  for (std::size_t target = 0; target < targets; ++target) {
    const int word = words.target[target];
    const auto share = static_cast<Real>(std::ranges::count(words.target, word));
    const Real* row = packed.data() + static_cast<std::int64_t>(target) * weights.size(1);
    for (std::size_t source = 0; source < sources; ++source) {
      out[std::int64_t{word} * columns + words.source[source]] += row[source] / share;
    }
  }
  return sums;
}

}  // namespace heed::decoding
