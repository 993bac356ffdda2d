// SPDX-License-Identifier: Apache-2.0
// Supports as lists of places, so that one product computes all forecasts.
#include "heed/models/mixture.h"

#include <algorithm>
#include <vector>

#include "heed/autograd/ops.h"
#include "heed/base/error.h"

namespace heed::models {
namespace {

// Its logarithm is far below any that is learnt from, and its inverse is a float.
constexpr Real kLeast = Real(1e-30);

}  // namespace

KeySupport support_of(const Tensor& weights, const Ids& sequences) {
  const std::int64_t count = weights.size(0), keys = weights.size(1);
  const std::vector<Real> all = weights.values();
  std::vector<std::vector<std::int32_t>> found(static_cast<std::size_t>(count));
  KeySupport support;
  for (std::int64_t n = 0; n < count; ++n) {
    auto& mine = found[static_cast<std::size_t>(n)];
    for (std::int64_t k = 0; k < keys; ++k) {
      if (all[static_cast<std::size_t>(n * keys + k)] != 0) {
        mine.push_back(static_cast<std::int32_t>(k));
      }
    }
    support.mean += static_cast<double>(mine.size()) / static_cast<double>(count);
    support.most = std::max(support.most, static_cast<std::int64_t>(mine.size()));
  }
  support.most = std::max<std::int64_t>(support.most, 1);
  const Shape flat{count * support.most};
  support.rows = Ids(flat);
  support.values = Ids(flat);
  support.weights = Ids(flat);
  support.present = Tensor::zeros({count, support.most});
  std::int32_t* row = support.rows.mutable_data();
  std::int32_t* value = support.values.mutable_data();
  std::int32_t* weight = support.weights.mutable_data();
  Real* present = support.present.mutable_data();
  for (std::int64_t n = 0; n < count; ++n) {
    const auto& mine = found[static_cast<std::size_t>(n)];
    for (std::int64_t s = 0; s < support.most; ++s) {
      const bool is_there = s < static_cast<std::int64_t>(mine.size());
      const std::int32_t key = is_there ? mine[static_cast<std::size_t>(s)] : 0;
      *row++ = static_cast<std::int32_t>(n);
      *value++ = static_cast<std::int32_t>(sequences.at({n}) * keys) + key;
      *weight++ = static_cast<std::int32_t>(n * keys) + key;
      *present++ = is_there ? Real{1} : Real{0};
    }
  }
  return support;
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
  const std::int64_t count = weights.size(0);
  const KeySupport support = support_of(weights.value(), sequences);
  const Variable chosen =
      embedding(reshape(values, {values.size(0) * values.size(1), values.size(2)}), support.values);
  const Variable forecasts = softmax(logits_of(support.rows, chosen));  // [N*S,V]
  const Variable shares =
      reshape(embedding(reshape(weights, {count * weights.size(1), 1}), support.weights),
              {count, support.most}) *
      Variable(support.present);
  const Variable mixed = sum(reshape(forecasts, {count, support.most, forecasts.size(1)}) *
                                 reshape(shares, {count, support.most, 1}),
                             1);
  return log(clamp(mixed, kLeast, Real{2}));
}

}  // namespace heed::models
