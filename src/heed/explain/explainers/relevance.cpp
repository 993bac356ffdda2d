// SPDX-License-Identifier: Apache-2.0
// Relevance through the layers: weights times their gradients, where that is above zero, handed
// down from layer to layer beside what goes past them.
//
// R = I, then layer by layer R = R + C_l R with C_l the mean over heads of max(0, A dy/dA), the
// rules for self-attention of Chefer 2021 (ICCV); what is read of the last layer is C of the
// attention that reads it, all its queries together, or the readout less what is a token's own.
#include <algorithm>

#include "heed/explain/explainer.h"
#include "heed/explain/layers.h"
#include "heed/tensor/arithmetic.h"
#include "heed/tensor/matmul.h"

namespace heed::explain {
namespace {

// [H,Q,N] -> [Q,N]
Tensor contributions(const Look& look) {
  const std::int64_t heads = look.weights.size(0), queries = look.weights.size(1),
                     tokens = look.weights.size(2);
  const Tensor weights = look.weights.packed(), gradients = look.gradients.packed();
  Tensor found = Tensor::zeros({queries, tokens});
  for (std::int64_t h = 0; h < heads; ++h) {
    for (std::int64_t i = 0; i < queries * tokens; ++i) {
      const std::int64_t at = h * queries * tokens + i;
      found.mutable_data()[i] +=
          std::max(weights.data()[at] * gradients.data()[at], Real{0}) / static_cast<Real>(heads);
    }
  }
  return found;
}

struct Relevance {
  static ExplainerCard card() {
    return {.name = "relevance",
            .summary = "attention that raises the output, followed through all layers",
            .formula = "(c R_L)_t, R_l = R_l-1 + mean over heads of max(0, A_l dy/dA_l) R_l-1",
            .source = "Chefer 2021",
            .promises = {Promise::unseen, Promise::unshifted},
            .need = Need::looks};
  }
  void declare(Options&) {}
  Explanation explain(const Subject& subject) const {
    const Looks looks = subject.looks();
    const std::int64_t tokens = looks.tokens();
    Tensor relevance = Tensor::zeros({tokens, tokens});
    for (std::int64_t i = 0; i < tokens; ++i) relevance.mutable_data()[i * tokens + i] = 1;
    for (const Look& layer : looks.layers) {
      relevance = relevance + matmul(contributions(layer), relevance);
    }
    std::vector<double> read(looks.words.size(), 0);
    if (looks.reads.empty()) {
      read = looks.readout;
      for (std::int64_t i = 0; i < tokens; ++i) relevance.mutable_data()[i * tokens + i] -= 1;
    }
    for (const Look& look : looks.reads) {
      const Tensor mine = contributions(look);
      for (std::int64_t i = 0; i < mine.size(); ++i) {
        read[static_cast<std::size_t>(i % tokens)] += static_cast<double>(mine.data()[i]);
      }
    }
    return {.shares = by_word(looks, row_times(read, relevance))};
  }
};

const ListedExplainer<Relevance> kListed;

}  // namespace
}  // namespace heed::explain
