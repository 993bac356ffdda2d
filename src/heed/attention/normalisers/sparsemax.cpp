// SPDX-License-Identifier: Apache-2.0
// Sparsemax: the point of the simplex nearest to the scores.
#include "heed/attention/normalisers/row_math.h"
#include "heed/kernels/attention/sparse_rows.h"

namespace heed::attention {
namespace {

struct Sparsemax {
  static Card card() {
    return {.name = "sparsemax",
            .summary = "The distribution nearest to the scores, with exact zeros.",
            .formula = "p = [z - τ]₊, Σ p = 1",
            .source = "Martins & Astudillo 2016",
            .promises = {Promise::sums_to_one, Promise::shift_invariant,
                         Promise::permutation_equivariant, Promise::symmetric_jacobian,
                         Promise::sparse}};
  }
  void declare(Options&) {}

  FusedNormaliser fused() const { return {.sparse = kernels::SparseNormaliser{.alpha = {2}}}; }

  template <typename T>
  void forward(const Row<T>& row, std::span<T> weights) const {
    kernels::sparsemax(row.scores.data(), weights.data(), 1, weights.size());
  }
  template <typename T>
  void backward(const Row<T>&, std::span<const T> weights, const RowUpstream<T>& upstream,
                const RowGradient<T>& gradient) const {
    kernels::sparsemax_backward(weights.data(), upstream.weights.data(), gradient.scores.data(), 1,
                                weights.size());
  }

  template <typename T>
  bool forward_rows(const Matrix<T>& scores, T* weights) const {
    kernels::sparsemax(scores.data, weights, scores.rows, scores.columns);
    return true;
  }
  template <typename T>
  bool backward_rows(const Matrix<T>& scores, const T* weights, const T* upstream,
                     T* gradient) const {
    kernels::sparsemax_backward(weights, upstream, gradient, scores.rows, scores.columns);
    return true;
  }

  double regulariser(std::span<const double> p) const { return inner_product(p, p) / 2; }
  double maximum(std::span<const double> theta) const {
    const auto p = row_memory<double, Purpose::probabilities>(theta.size());
    kernels::sparsemax(theta.data(), p.data(), 1, p.size());
    return inner_product(p, theta) - regulariser(p);
  }
};

const ListedNormaliser<Sparsemax> kListed;

}  // namespace
}  // namespace heed::attention
