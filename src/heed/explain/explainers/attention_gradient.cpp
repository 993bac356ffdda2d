// SPDX-License-Identifier: Apache-2.0
// Attention times its gradient: a weight counts as far as the output would follow it.
#include "heed/explain/explainer.h"

namespace heed::explain {
namespace {

struct AttentionGradient {
  static ExplainerCard card() {
    return {.name = "attention_gradient",
            .summary = "attention times the gradient of the output by it",
            .formula = "a_t dy/da_t",
            .source = "Serrano & Smith 2019",
            .need = Need::attention_gradients};
  }
  void declare(Options&) {}
  Explanation explain(const Subject& subject) const {
    Explanation found{.shares = subject.attention()};
    const std::vector<double> gradients = subject.attention_gradients();
    for (std::size_t t = 0; t < gradients.size(); ++t) found.shares[t] *= gradients[t];
    return found;
  }
};

const ListedExplainer<AttentionGradient> kListed;

}  // namespace
}  // namespace heed::explain
