// SPDX-License-Identifier: Apache-2.0
// Attention read as an explanation, which is what the others put to the test.
#include "heed/explain/explainer.h"

namespace heed::explain {
namespace {

struct Attended {
  static ExplainerCard card() {
    return {.name = "attention",
            .summary = "how much the model attends to a word",
            .formula = "a_t",
            .source = "Bahdanau 2015",
            .need = Need::attention};
  }
  void declare(Options&) {}
  Explanation explain(const Subject& subject) const { return {.shares = subject.attention()}; }
};

const ListedExplainer<Attended> kListed;

}  // namespace
}  // namespace heed::explain
