// SPDX-License-Identifier: Apache-2.0
// interpolate: how much of the new weights to take, and how much of those of the step before.
#include "heed/attention/addressing.h"
#include "heed/attention/addressing/allowed_rows.h"
#include "heed/attention/compose/query_or.h"
#include "heed/autograd/ops.h"
#include "heed/base/error.h"

namespace heed::attention {
namespace {

// y = g w + (1 - g) v of the allowed keys, v the weights before:
// dw = g dy, dv = (1 - g) dy, dg = Σ dy (w - v). weights [B,H,1,K], before [B,H,K], gate [B,H,1,1]
Variable interpolated(const Variable& weights, const Variable& before, const Variable& gate,
                      const std::shared_ptr<const BoundPattern>& pattern) {
  const Tensor w = weights.value().packed();
  const Tensor v = before.value().packed();
  const Tensor g = gate.value().packed();
  const std::int64_t count = w.size(3);
  Tensor y = Tensor::zeros(w.shape());
  Real* out = y.mutable_data();
  for_allowed_rows(pattern.get(), w.shape(), [&](std::int64_t row, auto keys) {
    for (const std::int32_t key : keys) {
      const std::int64_t at = row * count + key;
      out[at] = g.data()[row] * w.data()[at] + (1 - g.data()[row]) * v.data()[at];
    }
  });
  return record("interpolate", y, {weights, before, gate}, [=](const Tensor& dy) -> Gradients {
    const Tensor upstream = dy.packed();
    Tensor d_weights = Tensor::zeros(w.shape()), d_before = Tensor::zeros(v.shape());
    Tensor d_gate = Tensor::zeros(g.shape());
    Real* dw = d_weights.mutable_data();
    Real* dv = d_before.mutable_data();
    Real* dg = d_gate.mutable_data();
    for_allowed_rows(pattern.get(), w.shape(), [&](std::int64_t row, auto keys) {
      double sum = 0;
      for (const std::int32_t key : keys) {
        const std::int64_t at = row * count + key;
        const Real from_above = upstream.data()[at];
        dw[at] = g.data()[row] * from_above;
        dv[at] = (1 - g.data()[row]) * from_above;
        sum += static_cast<double>(from_above) * (w.data()[at] - v.data()[at]);
      }
      dg[row] = static_cast<Real>(sum);
    });
    return {d_weights, d_before, d_gate};
  });
}

struct Interpolate {
  static constexpr bool kLooksBack = true;
  QueryOr gate{.by_query = true};
  QueryControl control;  // one number

  static Card card() {
    return {.name = "interpolate",
            .summary =
                "Between the new weights and those of the step before, as the gate says; all new "
                "ones at the first step.",
            .formula = "g w_j + (1 - g) w_j before, g = sigmoid(W q + b)",
            .source = "Graves et al. 2014",
            .examples = {"gate=0.25"}};
  }
  void declare(Options& options) {
    options.add("gate", gate, "g: query, or a number from 0 (the old weights) to 1 (the new ones)");
  }
  void build(const AddressingShape& shape, Random& random) {
    if (gate.by_query) {
      control.build(1, shape.query_width, shape.heads, random);
    } else if (!(gate.number >= 0 && gate.number <= 1)) {
      throw UsageError("interpolate: gate {}; it takes a number from 0 to 1, or query",
                       gate.number);
    }
  }
  void visit(nn::ParameterVisitor& visitor) { visitor("gate", control); }
  Variable address(const Variable& weights, const AddressingCall& call) const {
    const Variable& before = call.state.previous;
    if (!before.defined()) return weights;
    if (before.shape() != weights.shape().without(2)) {
      throw UsageError("interpolate: weights before {} for weights {}; it takes {}",
                       before.shape().text(), weights.shape().text(),
                       weights.shape().without(2).text());
    }
    const Variable g =
        gate.by_query
            ? sigmoid(control(call.query))
            : Variable(Tensor::full(weights.shape().with(3, 1), static_cast<Real>(gate.number)));
    return interpolated(weights, before, g, call.pattern);
  }
};

const ListedAddressing<Interpolate> kListed;

}  // namespace
}  // namespace heed::attention
