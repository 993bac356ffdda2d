// SPDX-License-Identifier: Apache-2.0
// Leave-one-out: how much less the output is without a word.
#include "heed/explain/explainer.h"

namespace heed::explain {
namespace {

struct LeaveOneOut {
  Removal removal = Removal::erase;

  static ExplainerCard card() {
    return {
        .name = "leave_one_out",
        .summary = "how much less the output is without a word",
        .formula = "y(x) - y(x without t)",
        .source = "Li 2016",
        .promises = {Promise::effects, Promise::unseen, Promise::unshifted, Promise::exact_linear}};
  }
  void declare(Options& options) {
    options.add("removal", removal, removal_names(), "what becomes of a word that is taken away");
  }
  Explanation explain(const Subject& subject) const {
    if (subject.size() == 1 && removal == Removal::erase) {
      return {.undefined = "the text is one word: without it there is no text"};
    }
    std::vector<Kept> copies(subject.size() + 1, Kept(subject.size(), true));
    for (std::size_t t = 0; t < subject.size(); ++t) copies[t][t] = false;
    const std::vector<double> outputs = subject.outputs(copies, removal);
    Explanation found;
    for (std::size_t t = 0; t < subject.size(); ++t) {
      found.shares.push_back(outputs.back() - outputs[t]);
    }
    return found;
  }
};

const ListedExplainer<LeaveOneOut> kListed;

}  // namespace
}  // namespace heed::explain
