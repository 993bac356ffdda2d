// SPDX-License-Identifier: Apache-2.0
// One recorded operation for normalisers of both kinds.
#include "heed/attention/compose/weigh.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "heed/attention/compose/weigh_call.h"
#include "heed/attention/normalisers/bounds.h"
#include "heed/attention/trace.h"
#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/base/threads.h"

namespace heed::attention {
namespace {

void check_inputs(const Normaliser& normaliser, const WeighInputs& inputs) {
  const std::string& name = normaliser.card().name;
  const Shape& scores = inputs.scores.shape();
  if (scores.rank() != 4) {
    throw UsageError("{}: scores {}; it takes [B,H,Q,K]", name, scores.text());
  }
  if (inputs.bounds.defined()) {
    check_bounds(normaliser, inputs.bounds.value(), scores);
  } else if (scores.size() > 0) {
    normaliser.check(scores[3]);
  }
}

}  // namespace

Weighed weigh(const Normaliser& normaliser, std::shared_ptr<const BoundPattern> pattern,
              const WeighInputs& inputs) {
  check_inputs(normaliser, inputs);
  WeighCall call{.pattern = std::move(pattern),
                 .sizes = ScoreSizes(inputs.scores.shape()),
                 .scores = inputs.scores.value().packed(),
                 .parameters = inputs.parameters.value().packed(),
                 .bounds = inputs.bounds.value().packed(),
                 .random = inputs.random};
  // The closure owns what it needs until backward.
  const std::shared_ptr<const Normaliser> own = normaliser.clone();
  const auto* rows = dynamic_cast<const RowNormaliser*>(own.get());
  const auto* matrices = dynamic_cast<const MatrixNormaliser*>(own.get());
  WeighOutputs values = rows != nullptr ? weigh_rows(*rows, call) : weigh_matrices(*matrices, call);
  const Tensor weights = values[0];
  const Variables outputs = record_many(
      "weigh", std::move(values), {inputs.scores, inputs.parameters, inputs.bounds},
      [own, rows, matrices, call, weights](const std::span<const Tensor>& dys, Needs needs) {
        return rows != nullptr ? weigh_rows_backward(*rows, call, weights, dys, needs)
                               : weigh_matrices_backward(*matrices, call, weights, dys, needs);
      });
  return outputs.size() > 1 ? Weighed{outputs[0], outputs[1], outputs[2]}
                            : Weighed{outputs[0], {}, {}};
}

Variable softmax_weights(const Variable& scores, std::shared_ptr<const BoundPattern> pattern) {
  static const std::unique_ptr<Normaliser> softmax = Catalogue<Normaliser>::find("softmax")->make();
  return weigh(*softmax, std::move(pattern), {.scores = scores}).weights;
}

Tensor masked_weights(const BoundPattern& pattern, const Tensor& weights) {
  const ScoreSizes sizes(weights.shape());
  const Tensor packed = weights.packed();
  Tensor masked = Tensor::full(weights.shape(), kMasked);
  Real* out = masked.mutable_data();
  AllowedKeys allowed(sizes.keys);
  for (std::int64_t row = 0; row < sizes.rows(); ++row) {
    allowed.look(&pattern, sizes, row);
    for (const std::int32_t key : allowed.keys) {
      const Real weight = packed.data()[row * sizes.keys + key];
      if (is_masked(weight)) {
        throw DataError(
            "attention: the weight of query {} for key {} is not a number; the model's parameters "
            "or what it reads are not finite",
            row % sizes.queries, key);
      }
      out[row * sizes.keys + key] = weight;
    }
  }
  return masked;
}

Tensor log_sum_exp(const BoundPattern& pattern, const Tensor& scores) {
  const ScoreSizes sizes(scores.shape());
  const Tensor packed = scores.packed();
  Tensor result = Tensor::full({sizes.batch, sizes.heads, sizes.queries},
                               -std::numeric_limits<Real>::infinity());
  Real* const out = result.mutable_data();
  parallel_for(
      static_cast<std::size_t>(sizes.rows()), sizes.grain(),
      [&](std::size_t begin, std::size_t end) {
        AllowedKeys allowed(sizes.keys);
        std::vector<Real> copy;
        for (auto r = static_cast<std::int64_t>(begin); r < static_cast<std::int64_t>(end); ++r) {
          allowed.look(&pattern, sizes, r);
          if (allowed.keys.empty()) continue;
          const std::span<const Real> row = allowed.pack(packed.data() + r * sizes.keys, copy);
          const Real most = *std::max_element(row.begin(), row.end());
          if (!std::isfinite(most)) {
            out[r] = most;
            continue;
          }
          double total = 0;
          for (const Real score : row) total += std::exp(static_cast<double>(score - most));
          out[r] = most + static_cast<Real>(std::log(total));
        }
      });
  return result;
}

}  // namespace heed::attention
