// SPDX-License-Identifier: Apache-2.0
// Layers multiplied, and distances weighed.
#include "heed/insight/trace/rollout.h"

#include <cmath>
#include <vector>

#include "heed/attention/trace.h"
#include "heed/base/error.h"
#include "heed/tensor/matmul.h"

namespace heed::insight {

using attention::share_of;

Tensor layer_with_residual(const Tensor& layer) {
  const Shape& shape = layer.shape();
  if (shape.rank() != 3 || shape[0] == 0 || shape[1] != shape[2]) {
    throw UsageError("attention rollout: weights {}; it takes [heads, tokens, tokens]",
                     shape.text());
  }
  const std::int64_t heads = shape[0], tokens = shape[1];
  Tensor found({tokens, tokens});
  for (std::int64_t i = 0; i < tokens; ++i) {
    std::vector<double> row(static_cast<std::size_t>(tokens), 0);
    double sum = 0;
    for (std::int64_t j = 0; j < tokens; ++j) {
      double mean = 0;
      for (std::int64_t h = 0; h < heads; ++h) {
        mean += static_cast<double>(share_of(layer.at({h, i, j}))) / static_cast<double>(heads);
      }
      row[static_cast<std::size_t>(j)] = .5 * mean + (i == j ? .5 : 0);
      sum += row[static_cast<std::size_t>(j)];
    }
    for (std::int64_t j = 0; j < tokens; ++j) {
      found.mutable_data()[i * tokens + j] =
          static_cast<Real>(row[static_cast<std::size_t>(j)] / sum);
    }
  }
  return found;
}

Tensor attention_rollout(std::span<const Tensor> layers) {
  if (layers.empty()) throw UsageError("attention rollout: no layers");
  Tensor all;
  for (const Tensor& layer : layers) {
    const Tensor step = layer_with_residual(layer);
    if (all.defined() && step.shape() != all.shape()) {
      throw UsageError("attention rollout: weights {} beside {}; all layers have the same tokens",
                       layer.shape().text(), layers.front().shape().text());
    }
    all = all.defined() ? matmul(step, all) : step;
  }
  return all;
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
