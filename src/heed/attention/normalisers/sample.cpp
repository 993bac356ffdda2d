// SPDX-License-Identifier: Apache-2.0
// Sample: one key drawn from softmax, learnt by REINFORCE.
#include <cmath>

#include "heed/attention/normalisers/row_math.h"

namespace heed::attention {
namespace {

// The gradient of the expected loss E[L(k)] is E[(L(k) - b) d log p_k], b a baseline: a loss that
// contains (L(k) - b) log p_k, and the entropy for exploration, trains it.
struct Sample {
  static Card card() {
    return {.name = "sample",
            .summary =
                "One key, drawn with the probabilities of softmax; its log-probability and the "
                "entropy are for REINFORCE.",
            .formula = "p = one-hot of k ~ softmax(z); d log p_k = (1_k - softmax(z))",
            .source = "Williams 1992; Xu et al. 2015",
            .promises = {Promise::sums_to_one, Promise::shift_invariant,
                         Promise::symmetric_jacobian, Promise::sparse, Promise::random}};
  }
  void declare(Options&) {}

  // The largest of z + Gumbel noise is a draw from softmax(z); masking a key leaves the noise of
  // the others alone.
  template <typename T>
  void forward(const Row<T>& row, std::span<T> weights) const {
    one_hot_of_largest(std::span<const double>(perturbed_scores(row)), weights);
  }

  template <typename T>
  RowDraw<T> draw(const Row<T>& row, std::span<const T> weights) const {
    const Distribution softmax = distribution(row);
    double log_probability = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      if (weights[i] > 0) log_probability = softmax.log_p[i];
    }
    return {static_cast<T>(log_probability), static_cast<T>(softmax.entropy)};
  }

  // d log p_k / dz = 1_k - p, dH / dz = -p (log p + H). No gradient passes through the weights.
  template <typename T>
  void backward(const Row<T>& row, std::span<const T> weights, const RowUpstream<T>& upstream,
                const RowGradient<T>& gradient) const {
    const Distribution softmax = distribution(row);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const double log_p = softmax.log_p[i], p = std::exp(log_p);
      const double spread = p > 0 ? -p * (log_p + softmax.entropy) : 0;
      gradient.scores[i] =
          static_cast<T>(upstream.log_probability * (weights[i] - p) + upstream.entropy * spread);
    }
  }

 private:
  struct Distribution {
    std::span<const double> log_p;
    double entropy = 0;
  };
  template <typename T>
  Distribution distribution(const Row<T>& row) const {
    const auto log_p = row_memory<double, Purpose::probabilities>(row.scores.size());
    std::copy(row.scores.begin(), row.scores.end(), log_p.begin());
    kernels::log_softmax(log_p.data(), log_p.data(), 1, log_p.size());
    double entropy = 0;
    for (const double value : log_p) {
      if (const double p = std::exp(value); p > 0) entropy -= p * value;
    }
    return {log_p, entropy};
  }
};

const ListedNormaliser<Sample> kListed;

}  // namespace
}  // namespace heed::attention
