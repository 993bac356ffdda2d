// SPDX-License-Identifier: Apache-2.0
// sharpen: weights to a power, added up to one again, so that repeated shifts do not blur them.
#include <cmath>
#include <limits>

#include "heed/attention/addressing.h"
#include "heed/attention/addressing/allowed_rows.h"
#include "heed/attention/compose/query_or.h"
#include "heed/autograd/ops.h"
#include "heed/base/error.h"

namespace heed::attention {
namespace {

double log_of(Real weight) {
  return weight == 0 ? -std::numeric_limits<double>::infinity()
                     : std::log(static_cast<double>(weight));
}

// log Σ w^γ of the allowed keys; -inf where all are 0. As powers the sum would be 0 in float, and a
// division by it, at w = 1e-9 and γ = 8.
double log_total(const Real* weights, double power, std::span<const std::int32_t> keys) {
  double most = -std::numeric_limits<double>::infinity();
  for (const std::int32_t key : keys) {
    const double term = power * log_of(weights[key]);
    most = std::isnan(term) || term > most ? term : most;
    if (std::isnan(most)) return most;
  }
  if (std::isinf(most)) return most;
  double sum = 0;
  for (const std::int32_t key : keys) sum += std::exp(power * log_of(weights[key]) - most);
  return most + std::log(sum);
}

// y = softmax(γ log w) over the allowed keys. With c = dy - <y, dy>: dγ = Σ y c log w (0 where w is
// 0), dw = γ w^(γ-1) c / Σ w^γ. weights [B,H,Q,K], power [B,H,Q,1]
Variable sharpened(const Variable& weights, const Variable& power,
                   const std::shared_ptr<const BoundPattern>& pattern) {
  const Tensor w = weights.value().packed();
  const Tensor p = power.value().packed();
  const std::int64_t count = w.size(3);
  Tensor y = Tensor::zeros(w.shape());
  Real* out = y.mutable_data();
  for_allowed_rows(pattern.get(), w.shape(), [&](std::int64_t row, auto keys) {
    const Real* from = w.data() + row * count;
    const double total = log_total(from, p.data()[row], keys);
    if (std::isinf(total) && total < 0) return;  // no weight to sharpen
    for (const std::int32_t key : keys) {
      out[row * count + key] =
          static_cast<Real>(std::exp(p.data()[row] * log_of(from[key]) - total));
    }
  });
  return record("sharpen", y, {weights, power}, [=](const Tensor& dy) -> Gradients {
    const Tensor upstream = dy.packed();
    Tensor d_weights = Tensor::zeros(w.shape()), d_power = Tensor::zeros(p.shape());
    Real* dw = d_weights.mutable_data();
    Real* dp = d_power.mutable_data();
    for_allowed_rows(pattern.get(), w.shape(), [&](std::int64_t row, auto keys) {
      const Real* from = w.data() + row * count;
      const double gamma = p.data()[row];
      const double total = log_total(from, gamma, keys);
      if (std::isinf(total) && total < 0) return;
      double along = 0;  // <y, dy>
      for (const std::int32_t key : keys) {
        along +=
            static_cast<double>(y.data()[row * count + key]) * upstream.data()[row * count + key];
      }
      double sum = 0;
      for (const std::int32_t key : keys) {
        const std::int64_t at = row * count + key;
        const double centred = upstream.data()[at] - along;
        if (from[key] == 0) {
          dw[at] = gamma == 1 ? static_cast<Real>(centred * std::exp(-total)) : Real{0};
          continue;
        }
        const double log_weight = log_of(from[key]);
        sum += y.data()[at] * centred * log_weight;
        dw[at] = static_cast<Real>(gamma * std::exp((gamma - 1) * log_weight - total) * centred);
      }
      dp[row] = static_cast<Real>(sum);
    });
    return {d_weights, d_power};
  });
}

void refuse_negative(const Tensor& weights) {
  for (const Real weight : weights.packed().span()) {
    if (!(weight < 0)) continue;
    throw UsageError(
        "sharpen: a weight of {:.4g}; it takes weights of 0 or more, after a normaliser that gives "
        "no others",
        weight);
  }
}

struct Sharpen {
  QueryOr power{.by_query = true};
  QueryControl control;  // one number

  static Card card() {
    return {.name = "sharpen",
            .summary = "Weights to a power of 1 or more, added up to one again.",
            .formula = "w_j^γ / Σ w_i^γ, γ = 1 + softplus(W q + b)",
            .source = "Graves et al. 2014",
            .promises = {Promise::sums_to_one},
            .examples = {"power=3"}};
  }
  void declare(Options& options) {
    options.add("power", power, "γ: query, or a number of 1 or more");
  }
  void build(const AddressingShape& shape, Random& random) {
    if (power.by_query) {
      control.build(1, shape.query_width, shape.heads, random);
    } else if (!(power.number >= 1)) {
      throw UsageError("sharpen: power {}; it takes 1 or more, or query", power.number);
    }
  }
  void visit(nn::ParameterVisitor& visitor) { visitor("power", control); }
  Variable address(const Variable& weights, const AddressingCall& call) const {
    refuse_negative(weights.value());
    const Variable gamma =
        power.by_query
            ? softplus(control(call.query)) + Real{1}
            : Variable(Tensor::full(weights.shape().with(3, 1), static_cast<Real>(power.number)));
    return sharpened(weights, gamma, call.pattern);
  }
};

const ListedAddressing<Sharpen> kListed;

}  // namespace
}  // namespace heed::attention
