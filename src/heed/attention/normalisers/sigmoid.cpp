// SPDX-License-Identifier: Apache-2.0
// Sigmoid: each key is weighed on its own.
#include "heed/attention/normaliser.h"
#include "heed/kernels/elementwise.h"

namespace heed::attention {
namespace {

struct Sigmoid {
  static constexpr DrawnAs kDrawnAs = DrawnAs::gates;

  static Card card() {
    return {.name = "sigmoid",
            .summary = "Each key is weighed on its own, between 0 and 1.",
            .formula = "p = 1 / (1 + exp(-z))",
            .source = "Luong, Pham & Manning 2015",
            .promises = {Promise::in_unit_interval, Promise::permutation_equivariant,
                         Promise::symmetric_jacobian}};
  }
  void declare(Options&) {}

  template <typename T>
  void forward(const Row<T>& row, std::span<T> weights) const {
    kernels::sigmoid(row.scores.data(), weights.data(), weights.size());
  }
  // dz = p (1 - p) g
  template <typename T>
  void backward(const Row<T>&, std::span<const T> weights, const RowUpstream<T>& upstream,
                const RowGradient<T>& gradient) const {
    kernels::sigmoid_backward(weights.data(), upstream.weights.data(), gradient.scores.data(),
                              weights.size());
  }

  template <typename T>
  bool forward_rows(const Matrix<T>& scores, T* weights) const {
    kernels::sigmoid(scores.data, weights, scores.rows * scores.columns);
    return true;
  }
  template <typename T>
  bool backward_rows(const Matrix<T>& scores, const T* weights, const T* upstream,
                     T* gradient) const {
    kernels::sigmoid_backward(weights, upstream, gradient, scores.rows * scores.columns);
    return true;
  }
};

const ListedNormaliser<Sigmoid> kListed;

}  // namespace
}  // namespace heed::attention
