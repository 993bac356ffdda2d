// SPDX-License-Identifier: Apache-2.0
// Softmax: weights in proportion to exp(score / temperature).
#include "heed/attention/normalisers/row_math.h"

namespace heed::attention {
namespace {

struct Softmax {
  double temperature = 1;

  static Card card() {
    return {.name = "softmax",
            .summary = "Weights in proportion to the exponential of the scores.",
            .formula = "p = exp(z/T) / Σ exp(z/T)",
            .source = "Bahdanau, Cho & Bengio 2015",
            .promises = {Promise::sums_to_one, Promise::shift_invariant,
                         Promise::permutation_equivariant, Promise::symmetric_jacobian,
                         Promise::has_temperature},
            .examples = {"temperature=0.3"}};
  }
  void declare(Options& options) {
    options.add("temperature", temperature, "divides the scores").above(0);
  }

  FusedNormaliser fused() const { return {.temperature = temperature}; }

  template <typename T>
  void forward(const Row<T>& row, std::span<T> weights) const {
    softmax_row(row.scores, temperature, weights);
  }
  template <typename T>
  void backward(const Row<T>&, std::span<const T> weights, const RowUpstream<T>& upstream,
                const RowGradient<T>& gradient) const {
    softmax_row_backward(weights, upstream.weights, temperature, gradient.scores);
  }

  template <typename T>
  bool forward_rows(const Matrix<T>& scores, T* weights) const {
    if (temperature != 1) return false;
    kernels::softmax(scores.data, weights, scores.rows, scores.columns);
    return true;
  }
  template <typename T>
  bool backward_rows(const Matrix<T>& scores, const T* weights, const T* upstream,
                     T* gradient) const {
    if (temperature != 1) return false;
    kernels::softmax_backward(weights, upstream, gradient, scores.rows, scores.columns);
    return true;
  }

  // T sum p log p
  double regulariser(std::span<const double> p) const {
    double sum = 0;
    for (const double value : p) sum += value > 0 ? value * std::log(value) : 0;
    return temperature * sum;
  }
  // T log sum exp(theta / T)
  double maximum(std::span<const double> theta) const {
    const double top = largest(theta);
    double sum = 0;
    for (const double value : theta) sum += std::exp((value - top) / temperature);
    return top + temperature * std::log(sum);
  }
};

const ListedNormaliser<Softmax> kListed;

}  // namespace
}  // namespace heed::attention
