// SPDX-License-Identifier: Apache-2.0
// Attention read as an explanation, which is what the others put to the test: what the answer was
// read with, or any layer and head on the way to it.
#include "heed/explain/explainer.h"

namespace heed::explain {
namespace {

struct Attended {
  LookChoice choice{};

  static ExplainerCard card() {
    return {.name = "attention",
            .summary = "how much the model attends to a word",
            .formula = "a_t",
            .source = "Bahdanau 2015",
            .promises = {Promise::unseen, Promise::unshifted},
            .need = Need::attention};
  }
  void declare(Options& options) { choice.declare(options); }
  Explanation explain(const Subject& subject) const {
    const bool plain = choice.layer.name == "read" && choice.head.name == "mean";
    if (plain) return {.shares = subject.attention()};
    return {.shares =
                shares_of(subject.looks(), choice, [](const Look& look) { return look.weights; })};
  }
};

const ListedExplainer<Attended> kListed;

}  // namespace
}  // namespace heed::explain
