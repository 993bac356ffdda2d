// SPDX-License-Identifier: Apache-2.0
// Gumbel-softmax: a softmax of noisy scores whose hard form is a draw from softmax.
#include <algorithm>

#include "heed/attention/normalisers/row_math.h"

namespace heed::attention {
namespace {

struct GumbelSoftmax {
  double temperature = 1;
  bool hard = false;

  static Card card() {
    return {.name = "gumbel_softmax",
            .summary =
                "Softmax of scores with Gumbel noise; the nearer the temperature is to 0, the "
                "nearer the weights are to one drawn key.",
            .formula =
                "p = softmax((z + G)/T), G = -log(-log u); T = 0: argmax(z + G); hard: one-hot of "
                "p, with the gradient of p",
            .source = "Jang, Gu & Poole 2017; Maddison, Mnih & Teh 2017",
            .promises = {Promise::sums_to_one, Promise::shift_invariant,
                         Promise::symmetric_jacobian, Promise::random, Promise::has_temperature},
            .examples = {"temperature=0.2"}};
  }
  void declare(Options& options) {
    options.add("temperature", temperature, "divides the noisy scores; 0 draws one key")
        .at_least(0);
    options.add("hard", hard, "weight 1 on one key, with the gradient of the soft weights");
  }

  template <typename T>
  void forward(const Row<T>& row, std::span<T> weights) const {
    const auto noisy = perturbed_scores(row);
    if (temperature == 0 || hard) {
      one_hot_of_largest(std::span<const double>(noisy), weights);
      return;
    }
    softmax_row(std::span<const double>(noisy), temperature, noisy);
    std::transform(noisy.begin(), noisy.end(), weights.begin(),
                   [](double value) { return static_cast<T>(value); });
  }

  template <typename T>
  void backward(const Row<T>& row, std::span<const T> weights, const RowUpstream<T>& upstream,
                const RowGradient<T>& gradient) const {
    if (temperature == 0) {
      std::fill(gradient.scores.begin(), gradient.scores.end(), T{0});
      return;
    }
    if (!hard) {
      softmax_row_backward(weights, upstream.weights, temperature, gradient.scores);
      return;
    }
    const auto noisy = perturbed_scores(row);
    softmax_row(std::span<const double>(noisy), temperature, noisy);
    const auto soft = row_memory<T, Purpose::probabilities>(noisy.size());
    std::transform(noisy.begin(), noisy.end(), soft.begin(),
                   [](double value) { return static_cast<T>(value); });
    softmax_row_backward(std::span<const T>(soft), upstream.weights, temperature, gradient.scores);
  }
};

const ListedNormaliser<GumbelSoftmax> kListed;

}  // namespace
}  // namespace heed::attention
