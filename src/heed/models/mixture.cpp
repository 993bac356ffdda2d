// SPDX-License-Identifier: Apache-2.0
// Supports as lists of places, so that one product computes all forecasts.
#include "heed/models/mixture.h"

#include <span>
#include <vector>

#include "heed/autograd/mixture.h"
#include "heed/autograd/ops.h"
#include "heed/base/error.h"

namespace heed::models {

KeySupport support_of(const Tensor& weights, const Ids& sequences) {
  const std::int64_t count = weights.size(0), keys = weights.size(1);
  const std::vector<Real> all = weights.values();
  std::vector<std::int32_t> rows, values, places;
  const auto look = [&](std::int64_t row, std::int64_t key) {
    rows.push_back(static_cast<std::int32_t>(row));
    values.push_back(static_cast<std::int32_t>(sequences.at({row}) * keys + key));
    places.push_back(static_cast<std::int32_t>(row * keys + key));
  };
  for (std::int64_t n = 0; n < count; ++n) {
    const std::size_t before = rows.size();
    for (std::int64_t k = 0; k < keys; ++k) {
      if (all[static_cast<std::size_t>(n * keys + k)] != 0) look(n, k);
    }
    if (rows.size() == before) look(n, 0);
  }
  const Shape flat{static_cast<std::int64_t>(rows.size())};
  return {Ids::of(flat, std::span<const std::int32_t>(rows)),
          Ids::of(flat, std::span<const std::int32_t>(values)),
          Ids::of(flat, std::span<const std::int32_t>(places))};
}

Variable mixture_logits(
    const Variable& weights, const Variable& values, const Ids& sequences,
    const std::function<Variable(const Ids& rows, const Variable& values)>& logits_of) {
  if (weights.rank() != 2 || values.rank() != 3 || weights.size(1) != values.size(1) ||
      sequences.shape() != Shape{weights.size(0)}) {
    throw UsageError(
        "mixture_logits: weights {}, values {}, sequences {}; it takes [N,K], [B,K,D] "
        "and [N]",
        weights.shape().text(), values.shape().text(), sequences.shape().text());
  }
  const KeySupport support = support_of(weights.value(), sequences);
  const Variable chosen =
      embedding(reshape(values, {values.size(0) * values.size(1), values.size(2)}), support.values);
  const Variable shares = embedding(reshape(weights, {-1, 1}), support.weights);
  return log_mixture(logits_of(support.rows, chosen), reshape(shares, {-1}), support.rows);
}

}  // namespace heed::models
