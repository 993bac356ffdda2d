// SPDX-License-Identifier: Apache-2.0
// gaussian: weights fade away from a centre that the query predicts (local-p).
#include <cmath>

#include "heed/attention/bias.h"
#include "heed/attention/compose/head_weights.h"
#include "heed/autograd/ops.h"
#include "heed/nn/initialisers.h"
#include "heed/nn/lengths.h"

namespace heed::attention {
namespace {

// y = w g, g = exp(-(j - p)²/(2σ²)): dw = dy g, dp = Σ_j dy w g (j - p)/σ².
// weights [B,H,Q,K], centres [B,H,Q]
Variable fade(const Variable& weights, const Variable& centres, double sigma) {
  const Tensor w = weights.value().packed();
  const Tensor p = centres.value().packed();
  const std::int64_t keys = w.size(3);
  const auto away = [=](std::int64_t row, std::int64_t j) {
    return (static_cast<double>(j) - static_cast<double>(p.data()[row])) / sigma;
  };
  const auto gauss = [](double z) { return std::exp(-0.5 * z * z); };
  Tensor y(w.shape());
  Real* out = y.mutable_data();
  for (std::int64_t row = 0; row < p.size(); ++row) {
    for (std::int64_t j = 0; j < keys; ++j) {
      const std::int64_t at = row * keys + j;
      out[at] = w.data()[at] == 0 ? Real{0} : static_cast<Real>(w.data()[at] * gauss(away(row, j)));
    }
  }
  return record("fade", y, {weights, centres}, [=](const Tensor& dy) -> Gradients {
    const Tensor upstream = dy.packed();
    Tensor d_weights(w.shape()), d_centres(p.shape());
    Real* dw = d_weights.mutable_data();
    Real* dp = d_centres.mutable_data();
    for (std::int64_t row = 0; row < p.size(); ++row) {
      double sum = 0;
      for (std::int64_t j = 0; j < keys; ++j) {
        const std::int64_t at = row * keys + j;
        const double z = away(row, j);
        const double g = gauss(z);
        dw[at] = static_cast<Real>(upstream.data()[at] * g);
        // A masked key has weight 0, and its upstream may be NaN.
        if (w.data()[at] != 0) sum += upstream.data()[at] * w.data()[at] * g * z / sigma;
      }
      dp[row] = static_cast<Real>(sum);
    }
    return {d_weights, d_centres};
  });
}

struct Gaussian {
  enum class Centre { predicted, query };
  double width = 10;
  Centre centre = Centre::predicted;
  Variable v;  // [Dq] or [H,Dq]
  Variable W;  // [Dq,Dq] or [H,Dq,Dq]

  static Card card() {
    return {.name = "gaussian",
            .summary =
                "Weights fade away from a centre that the query predicts; they no longer sum to "
                "one.",
            .formula =
                "w_j exp(-(j - p)²/(2(D/2)²)), p = S·sigmoid(vᵀ tanh(W q)), S the sequence's "
                "length, or the query's position, D the width",
            .source = "Luong et al. 2015 (local-p)",
            .gives = {Given::centres},
            .examples = {"width=3.0", "centre=query"}};
  }
  void declare(Options& options) {
    options.add("width", width, "D: twice the deviation").above(0);
    options.add("centre", centre, {"predicted", "query"},
                "predicted from the query, or the query's own position");
  }
  void build(const BiasShape& shape, Random& random) {
    if (centre == Centre::query) return;
    const std::int64_t size = shape.query_width;
    v = head_parameter(shape.heads, [&] {
      return nn::fan_in_uniform({1, size}, random).reshape({size});
    });
    W = head_parameter(shape.heads, [&] { return nn::glorot_uniform({size, size}, random); });
  }
  void visit(nn::ParameterVisitor& visitor) {
    visitor("v", v);
    visitor("W", W);
  }
  Variable centres(const BiasCall& call) const {
    const Variable& query = call.query;
    if (centre == Centre::query) {
      Tensor positions({query.size(2)});
      for (std::int64_t q = 0; q < query.size(2); ++q) {
        positions.mutable_data()[q] = static_cast<Real>(call.first_query + q);
      }
      return positions.expand({query.size(0), query.size(1), query.size(2)});
    }
    // S of the paper is the source's length, which padding is no part of.
    Tensor lengths({query.size(0), 1, 1});
    for (std::int64_t b = 0; b < query.size(0); ++b) {
      const std::int64_t length = nn::length_of(call.lengths, b, call.keys.size(2));
      lengths.mutable_data()[b] = static_cast<Real>(length);
    }
    const Variable hidden = tanh(project_heads(query, W));
    return sigmoid(sum(hidden * along_heads(v, 1), -1)) * Variable(lengths);
  }
  Variable scale_weights(const Variable& weights, const BiasCall& call) const {
    return fade(weights, centres(call), width / 2);
  }
};

const ListedBias<Gaussian> kListed;

}  // namespace
}  // namespace heed::attention
