// SPDX-License-Identifier: Apache-2.0
// Equal shares: the control that knows nothing and does not vary.
#include "heed/explain/explainer.h"

namespace heed::explain {
namespace {

struct Uniform {
  static ExplainerCard card() {
    return {.name = "uniform",
            .summary = "every word alike: a control",
            .formula = "1/T",
            .source = ""};
  }
  void declare(Options&) {}
  Explanation explain(const Subject& subject) const {
    const std::size_t size = subject.size();
    return {.shares = std::vector<double>(size, 1 / static_cast<double>(size))};
  }
};

const ListedExplainer<Uniform> kListed;

}  // namespace
}  // namespace heed::explain
