// SPDX-License-Identifier: Apache-2.0
// Attention rollout: how much of a word has reached what the answer is read from, were every layer
// half its attention and half what goes past it.
#include "heed/insight/trace/rollout.h"

#include "heed/explain/explainer.h"
#include "heed/explain/layers.h"

namespace heed::explain {
namespace {

enum class Against { nothing, uniform };

struct Rollout {
  Against against = Against::nothing;

  static ExplainerCard card() {
    return {.name = "rollout",
            .summary = "how much of a word reaches the answer through all layers",
            .formula = "(r R_L ... R_1)_t, R_l = (mean over heads of A_l + I) / 2",
            .source = "Abnar & Zuidema 2020",
            .promises = {Promise::unseen, Promise::unshifted},
            .need = Need::looks};
  }
  void declare(Options& options) {
    options.add("against", against, {"nothing", "uniform"},
                "uniform: the ratio to what even attention to what can be seen would bring, so "
                "that early words of a causal model have nothing ahead");
  }
  Explanation explain(const Subject& subject) const {
    const Looks looks = subject.looks();
    Explanation found{.shares = by_word(looks, rolled(looks, weights_of(looks)))};
    if (against == Against::uniform) {
      const std::vector<double> even = by_word(looks, rolled(looks, even_weights_of(looks)));
      for (std::size_t t = 0; t < even.size(); ++t) {
        found.shares[t] = even[t] > 0 ? found.shares[t] / even[t] : 0;
      }
    } else {
      found.note = causal_note(looks, "rollout(against=uniform) takes that away");
    }
    return found;
  }

 private:
  static std::vector<double> rolled(const Looks& looks, const std::vector<Tensor>& layers) {
    std::vector<double> read = read_at(looks);
    if (layers.empty()) return read;
    return row_times(read, insight::attention_rollout(layers));
  }
};

const ListedExplainer<Rollout> kListed;

}  // namespace
}  // namespace heed::explain
