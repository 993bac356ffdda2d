// SPDX-License-Identifier: Apache-2.0
// Drawn shares: the control that any explanation has to beat.
#include "heed/base/random.h"

#include "heed/explain/explainer.h"

namespace heed::explain {
namespace {

struct Drawn {
  std::uint64_t seed = 1;

  static ExplainerCard card() {
    return {.name = "random",
            .summary = "any number for each word: a control",
            .formula = "u ~ U(0, 1)",
            .source = "",
            .promises = {Promise::random}};
  }
  void declare(Options& options) { options.add("seed", seed, "of the draws"); }
  Explanation explain(const Subject& subject) const {
    Random random(seed);
    Explanation found;
    for (std::size_t t = 0; t < subject.size(); ++t) found.shares.push_back(random.uniform());
    return found;
  }
};

const ListedExplainer<Drawn> kListed;

}  // namespace
}  // namespace heed::explain
