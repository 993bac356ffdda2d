// SPDX-License-Identifier: Apache-2.0
// Layers multiplied, and distances weighed.
#include "heed/insight/trace/rollout.h"

#include <cmath>
#include <vector>

#include "heed/attention/trace.h"
#include "heed/base/error.h"

namespace heed::insight {

using attention::share_of;

Tensor attention_rollout(std::span<const Tensor> layers) {
  if (layers.empty()) throw UsageError("attention rollout: no layers");
  const Shape& shape = layers.front().shape();
  if (shape.rank() != 3 || shape[1] != shape[2]) {
    throw UsageError("attention rollout: weights {}; it takes [heads, tokens, tokens]",
                     shape.text());
  }
  const std::int64_t tokens = shape[1];
  const auto at = [tokens](std::int64_t row, std::int64_t column) {
    return static_cast<std::size_t>(row * tokens + column);
  };
  std::vector<double> all(static_cast<std::size_t>(tokens * tokens), 0);
  for (std::int64_t t = 0; t < tokens; ++t) all[at(t, t)] = 1;
  for (const Tensor& layer : layers) {
    if (layer.shape().rank() != 3 || layer.size(1) != tokens || layer.size(2) != tokens) {
      throw UsageError("attention rollout: weights {} beside {}; all layers have the same tokens",
                       layer.shape().text(), shape.text());
    }
    std::vector<double> next(all.size(), 0);
    const auto heads = static_cast<double>(layer.size(0));
    for (std::int64_t i = 0; i < tokens; ++i) {
      std::vector<double> row(static_cast<std::size_t>(tokens), 0);
      double sum = 0;
      for (std::int64_t j = 0; j < tokens; ++j) {
        double mean = 0;
        for (std::int64_t h = 0; h < layer.size(0); ++h) {
          mean += static_cast<double>(share_of(layer.at({h, i, j}))) / heads;
        }
        row[static_cast<std::size_t>(j)] = .5 * mean + (i == j ? .5 : 0);
        sum += row[static_cast<std::size_t>(j)];
      }
      for (std::int64_t j = 0; j < tokens; ++j) {
        const double share = row[static_cast<std::size_t>(j)] / sum;
        for (std::int64_t k = 0; k < tokens; ++k) next[at(i, k)] += share * all[at(j, k)];
      }
    }
    all = std::move(next);
  }
  Tensor found({tokens, tokens});
  for (std::size_t i = 0; i < all.size(); ++i) {
    found.mutable_data()[i] = static_cast<Real>(all[i]);
  }
  return found;
}

double mean_distance(const Tensor& weights, const CellLayout& layout) {
  double distance = 0;
  std::int64_t cells = 0;
  for (std::int64_t i = layout.tokens; i < weights.size(0); ++i) {
    double sum = 0, far = 0;
    for (std::int64_t j = layout.tokens; j < weights.size(1); ++j) {
      const std::int64_t from = i - layout.tokens, to = j - layout.tokens;
      const auto down = static_cast<double>(from / layout.columns - to / layout.columns);
      const auto across = static_cast<double>(from % layout.columns - to % layout.columns);
      const auto weight = static_cast<double>(share_of(weights.at({i, j})));
      sum += weight;
      far += weight * std::hypot(down, across);
    }
    if (sum <= 0) continue;
    distance += far / sum;
    ++cells;
  }
  return cells > 0 ? distance / static_cast<double>(cells) : 0;
}

}  // namespace heed::insight
