// SPDX-License-Identifier: Apache-2.0
// Norms: a weight counts as far as what is read with it is long; a heavy weight of a short vector
// brings nothing.
#include <algorithm>
#include <cmath>

#include "heed/base/error.h"
#include "heed/explain/explainer.h"

namespace heed::explain {
namespace {

// weights [H,Q,N], values [H,N,D] -> [1,Q,N]: |sum over h of a_hqk f_h(x_k)|.
Tensor norms_of(const Look& look) {
  if (!look.values.defined()) {
    throw UsageError("norms: what this attention reads is not known; take attention");
  }
  const std::int64_t heads = look.weights.size(0), queries = look.weights.size(1),
                     tokens = look.weights.size(2), width = look.values.size(2);
  const Tensor values = look.values.packed();
  Tensor found({1, queries, tokens});
  std::vector<double> sum(static_cast<std::size_t>(width));
  for (std::int64_t q = 0; q < queries; ++q) {
    for (std::int64_t k = 0; k < tokens; ++k) {
      std::ranges::fill(sum, 0);
      for (std::int64_t h = 0; h < heads; ++h) {
        const auto weight = static_cast<double>(look.weights.at({h, q, k}));
        const Real* value = values.data() + (h * tokens + k) * width;
        for (double& one : sum) one += weight * static_cast<double>(*value++);
      }
      double square = 0;
      for (const double one : sum) square += one * one;
      found.mutable_data()[q * tokens + k] = static_cast<Real>(std::sqrt(square));
    }
  }
  return found;
}

struct Norms {
  LookChoice choice{};

  static ExplainerCard card() {
    return {.name = "norms",
            .summary = "how long the vector is that attention reads of a word",
            .formula = "|sum over heads of a_t f(x_t)|, f the value through the output",
            .source = "Kobayashi 2020",
            .promises = {Promise::unseen, Promise::unshifted},
            .need = Need::looks};
  }
  void declare(Options& options) { choice.declare(options); }
  Explanation explain(const Subject& subject) const {
    return {.shares = shares_of(subject.looks(), choice, norms_of)};
  }
};

const ListedExplainer<Norms> kListed;

}  // namespace
}  // namespace heed::explain
