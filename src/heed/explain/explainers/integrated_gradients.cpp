// SPDX-License-Identifier: Apache-2.0
// Integrated gradients: gradient x input, averaged on the way from vectors of 0 to the text.
//
// With x = a e the integral of <dy/de_t(a e), e_t> over a is that of the gradient by the factor of
// word t, taken where all factors are a.
#include "heed/explain/explainer.h"

namespace heed::explain {
namespace {

struct IntegratedGradients {
  std::int64_t steps = 50;

  static ExplainerCard card() {
    return {.name = "integrated_gradients",
            .summary = "gradient x input averaged on the way from nothing to the text",
            .formula = "mean over a in [0, 1] of <dy/de_t(a e), e_t>",
            .source = "Sundararajan 2017",
            .promises = {Promise::complete, Promise::effects, Promise::exact_linear},
            .need = Need::gradients};
  }
  void declare(Options& options) {
    options.add("steps", steps, "of the trapezoids between nothing and the text").range(1, 100'000);
  }
  Explanation explain(const Subject& subject) const {
    std::vector<std::vector<double>> factors;
    for (std::int64_t i = 0; i <= steps; ++i) {
      factors.emplace_back(subject.size(), static_cast<double>(i) / static_cast<double>(steps));
    }
    const std::vector<std::vector<double>> gradients = subject.factor_gradients(factors);
    Explanation found{.shares = std::vector<double>(subject.size(), 0)};
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      const bool at_an_end = i == 0 || i + 1 == gradients.size();
      const double weight = (at_an_end ? .5 : 1) / static_cast<double>(steps);
      for (std::size_t t = 0; t < subject.size(); ++t) found.shares[t] += weight * gradients[i][t];
    }
    return found;
  }
};

const ListedExplainer<IntegratedGradients> kListed;

}  // namespace
}  // namespace heed::explain
