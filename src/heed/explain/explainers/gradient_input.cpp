// SPDX-License-Identifier: Apache-2.0
// Gradient x input: what a word adds to the output were the model linear.
#include <array>

#include "heed/explain/explainer.h"
#include "heed/explain/vectors.h"

namespace heed::explain {
namespace {

struct GradientInput {
  static ExplainerCard card() {
    return {.name = "gradient_input",
            .summary = "the gradient of the output by a word's vector, times the vector",
            .formula = "<dy/de_t, e_t>",
            .source = "Shrikumar 2017",
            .promises = {Promise::effects, Promise::unseen, Promise::exact_linear},
            .need = Need::gradients};
  }
  void declare(Options&) {}
  Explanation explain(const Subject& subject) const {
    const std::array whole = {subject.vectors()};
    return {.shares = products(subject.gradients_at(whole).front(), whole.front())};
  }
};

const ListedExplainer<GradientInput> kListed;

}  // namespace
}  // namespace heed::explain
