// SPDX-License-Identifier: Apache-2.0
// quiet_softmax: softmax beside a learnt score of "nothing", so that a query may look at no key.
#include <algorithm>
#include <cmath>

#include "heed/attention/normaliser.h"
#include "heed/nn/initialisers.h"

namespace heed::attention {
namespace {

struct QuietSoftmax {
  double nothing = 0;  // where the learnt score of each head starts
  Variable b;          // [H,1]: these scores

  static Card card() {
    return {.name = "quiet_softmax",
            .summary = "Softmax in which nothing is one more choice, whose score each head learns.",
            .formula = "p = exp(z) / (exp(b) + Σ exp(z)), b learnt per head",
            .source = "Miller 2023 (b = 0)",
            .promises = {Promise::in_unit_interval, Promise::permutation_equivariant,
                         Promise::symmetric_jacobian}};
  }
  void declare(Options& options) {
    options.add("nothing", nothing, "b at first: the score of looking at nothing");
  }
  void build(const NormaliserShape& shape, Random&) {
    b = nn::parameter(Tensor::full({shape.heads, 1}, static_cast<Real>(nothing)));
  }
  void visit(nn::ParameterVisitor& visitor) { visitor("b", b); }
  Variable parameters() const { return b; }

  template <typename T>
  void forward(const Row<T>& row, std::span<T> weights) const {
    const T b = row.parameters[0];
    // The largest of all is taken away, so that no exponential overflows.
    const T top = std::max(b, *std::max_element(row.scores.begin(), row.scores.end()));
    double sum = std::exp(static_cast<double>(b) - top);
    for (const T score : row.scores) sum += std::exp(static_cast<double>(score) - top);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      weights[i] = static_cast<T>(std::exp(static_cast<double>(row.scores[i]) - top) / sum);
    }
  }

  // dz = p (g - <p, g>), as in softmax, since nothing has weight p0 and value 0; db = -p0 <p, g>.
  template <typename T>
  void backward(const Row<T>&, std::span<const T> weights, const RowUpstream<T>& upstream,
                const RowGradient<T>& gradient) const {
    double read = 0;  // <p, g>
    double seen = 0;  // 1 - p0
    for (std::size_t i = 0; i < weights.size(); ++i) {
      read += static_cast<double>(weights[i]) * upstream.weights[i];
      seen += weights[i];
    }
    for (std::size_t i = 0; i < weights.size(); ++i) {
      gradient.scores[i] = static_cast<T>(weights[i] * (upstream.weights[i] - read));
    }
    if (!gradient.parameters.empty()) {
      gradient.parameters[0] += static_cast<T>((seen - 1) * read);
    }
  }
};

const ListedNormaliser<QuietSoftmax> kListed;

}  // namespace
}  // namespace heed::attention
