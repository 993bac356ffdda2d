// SPDX-License-Identifier: Apache-2.0
// The gradient alone: how fast the output changes with a word's vector, whichever way that goes.
#include <array>

#include "heed/explain/explainer.h"
#include "heed/explain/vectors.h"

namespace heed::explain {
namespace {

struct Gradient {
  static ExplainerCard card() {
    return {.name = "gradient",
            .summary = "how fast the output changes with a word's vector",
            .formula = "|dy/de_t|",
            .source = "Simonyan 2014",
            .promises = {Promise::unseen, Promise::unshifted},
            .need = Need::gradients};
  }
  void declare(Options&) {}
  Explanation explain(const Subject& subject) const {
    const std::array whole = {subject.vectors()};
    return {.shares = lengths(subject.gradients_at(whole).front())};
  }
};

const ListedExplainer<Gradient> kListed;

}  // namespace
}  // namespace heed::explain
