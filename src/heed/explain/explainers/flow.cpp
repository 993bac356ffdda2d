// SPDX-License-Identifier: Apache-2.0
// Attention flow: how much could flow from the answer to each word, attention being pipes that are
// as wide as their weights.
#include "heed/explain/attention_flow.h"
#include "heed/explain/explainer.h"
#include "heed/explain/layers.h"
#include "heed/insight/trace/rollout.h"

namespace heed::explain {
namespace {

struct Flow {
  static ExplainerCard card() {
    return {.name = "flow",
            .summary = "how much could flow from the answer to a word through all layers",
            .formula = "max flow from the answer to t, capacities (mean over heads of A_l + I) / 2",
            .source = "Abnar & Zuidema 2020",
            .promises = {Promise::unseen, Promise::unshifted},
            .need = Need::looks};
  }
  void declare(Options&) {}
  Explanation explain(const Subject& subject) const {
    const Looks looks = subject.looks();
    const std::int64_t tokens = looks.tokens();
    std::vector<Tensor> capacities;
    for (const Tensor& layer : weights_of(looks)) {
      capacities.push_back(insight::layer_with_residual(layer));
    }
    // The answer is one more node on top, whose pipes are as wide as what it reads.
    Tensor top = Tensor::zeros({tokens, tokens});
    const std::vector<double> read = read_at(looks);
    for (std::size_t i = 0; i < read.size(); ++i) {
      top.mutable_data()[i] = static_cast<Real>(read[i]);
    }
    capacities.push_back(top);
    return {.shares = by_word(looks, flow_from(capacities, 0)),
            .note = causal_note(looks, "compare with rollout(against=uniform)")};
  }
};

const ListedExplainer<Flow> kListed;

}  // namespace
}  // namespace heed::explain
