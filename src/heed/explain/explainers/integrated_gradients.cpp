// SPDX-License-Identifier: Apache-2.0
// Integrated gradients: gradient x input, averaged on the way from vectors of 0 to the text.
//
// The integral over a of <dy/de_t(a e), e_t> by the trapezoid rule.
#include "heed/explain/explainer.h"
#include "heed/explain/vectors.h"

namespace heed::explain {
namespace {

struct IntegratedGradients {
  std::int64_t steps = 50;

  static ExplainerCard card() {
    return {
        .name = "integrated_gradients",
        .summary = "gradient x input averaged on the way from nothing to the text",
        .formula = "mean over a in [0, 1] of <dy/de_t(a e), e_t>",
        .source = "Sundararajan 2017",
        .promises = {Promise::complete, Promise::effects, Promise::unseen, Promise::exact_linear},
        .need = Need::gradients};
  }
  void declare(Options& options) {
    options.add("steps", steps, "of the trapezoids between nothing and the text").range(1, 100'000);
  }
  Explanation explain(const Subject& subject) const {
    const Vectors whole = subject.vectors();
    Explanation found{.shares = std::vector<double>(subject.size(), 0)};
    std::vector<Vectors> some;
    for (std::int64_t i = 0; i <= steps; ++i) {
      some.push_back(scaled(whole, static_cast<double>(i) / static_cast<double>(steps)));
      if (i < steps && some.size() < kCopiesAtOnce) continue;
      const std::int64_t first = i + 1 - static_cast<std::int64_t>(some.size());
      const std::vector<Vectors> gradients = subject.gradients_at(some);
      for (std::size_t n = 0; n < some.size(); ++n) {
        const std::int64_t step = first + static_cast<std::int64_t>(n);
        const bool at_an_end = step == 0 || step == steps;
        const double weight = (at_an_end ? .5 : 1) / static_cast<double>(steps);
        const std::vector<double> mine = products(gradients[n], whole);
        for (std::size_t t = 0; t < mine.size(); ++t) found.shares[t] += weight * mine[t];
      }
      some.clear();
    }
    return found;
  }
};

const ListedExplainer<IntegratedGradients> kListed;

}  // namespace
}  // namespace heed::explain
