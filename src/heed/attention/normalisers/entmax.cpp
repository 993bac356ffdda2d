// SPDX-License-Identifier: Apache-2.0
// Entmax: one family from softmax (alpha 1) to sparsemax (alpha 2), alpha fixed or learnt per head.
#include <cmath>

#include "heed/attention/normalisers/row_math.h"
#include "heed/attention/written/learnt.h"
#include "heed/base/error.h"
#include "heed/kernels/attention/sparse_rows.h"
#include "heed/nn/initialisers.h"

namespace heed::attention {
namespace {

struct Entmax {
  double alpha = 1.5;
  bool learnable = false;
  double highest = 2;
  Variable a;  // [H,1], where alpha is learnt

  static Card card() {
    return {
        .name = "entmax",
        .summary =
            "From softmax (α = 1) to sparsemax (α = 2) and beyond, with exact zeros for α above 1.",
        .formula =
            "p = [1 + (α-1)(z - θ)]₊^(1/(α-1)), Σ p = 1; learnable: α = 1 + (highest-1) "
            "sigmoid(a), a per head",
        .source = "Peters, Niculae & Martins 2019; Correia, Niculae & Martins 2019 (learnable)",
        .promises = {Promise::sums_to_one, Promise::shift_invariant,
                     Promise::permutation_equivariant, Promise::symmetric_jacobian,
                     Promise::sparse},
        .examples = {"alpha=1.0", "alpha=1.0000001", "alpha=1.25", "alpha=2.0", "alpha=2.5",
                     "learnable=true"}};
  }
  void declare(Options& options) {
    options.add("alpha", alpha, "1 is softmax, 2 is sparsemax; where a learnable one starts")
        .range(1, 16);
    options.add("learnable", learnable, "learn alpha, between 1 and highest, for each head");
    options.add("highest", highest, "what a learnable alpha stays below").above(1).at_most(16);
  }
  void check(std::int64_t) const {
    if (learnable && !(alpha > 1 && alpha < highest)) {
      throw UsageError("entmax: alpha is {}; a learnable one starts between 1 and {}, its highest",
                       alpha, highest);
    }
  }
  void build(const NormaliserShape& shape, Random&) {
    if (!learnable) return;
    const double first =
        std::log((alpha - 1) / (highest - alpha));  // where the sigmoid gives alpha
    a = nn::parameter(Tensor::full({shape.heads, 1}, static_cast<Real>(first)));
  }
  void visit(nn::ParameterVisitor& visitor) { visitor("", a); }
  Variable parameters() const { return a; }

  FusedNormaliser fused() const {
    if (!a.defined()) return {.sparse = kernels::SparseNormaliser{.alpha = {alpha}}};
    FusedNormaliser learnt{.sparse = kernels::SparseNormaliser{}};
    for (const Real value : a.value().values()) {
      learnt.sparse->alpha.push_back(learnt_alpha(value));
      learnt.slope.push_back(slope_at(learnt.sparse->alpha.back()));
    }
    return learnt;
  }

  double learnt_alpha(double value) const { return 1 + (highest - 1) / (1 + std::exp(-value)); }
  double slope_at(double here) const {  // dalpha/da
    return (here - 1) * (highest - here) / (highest - 1);
  }
  template <typename T>
  double alpha_of(const Row<T>& row) const {
    return row.parameters.empty() ? alpha : learnt_alpha(static_cast<double>(row.parameters[0]));
  }

  template <typename T>
  void forward(const Row<T>& row, std::span<T> weights) const {
    kernels::entmax(alpha_of(row), row.scores.data(), weights.data(), 1, weights.size());
  }
  template <typename T>
  void backward(const Row<T>& row, std::span<const T> weights, const RowUpstream<T>& upstream,
                const RowGradient<T>& gradient) const {
    const double here = alpha_of(row);
    if (!gradient.parameters.empty()) {
      gradient.parameters[0] += static_cast<T>(
          slope_at(here) * kernels::entmax_alpha_gradient(here, weights.data(),
                                                          upstream.weights.data(), weights.size()));
    }
    kernels::entmax_backward(here, weights.data(), upstream.weights.data(), gradient.scores.data(),
                             1, weights.size());
  }

  template <typename T>
  bool forward_rows(const Matrix<T>& scores, T* weights) const {
    if (learnable) return false;
    kernels::entmax(alpha, scores.data, weights, scores.rows, scores.columns);
    return true;
  }
  template <typename T>
  bool backward_rows(const Matrix<T>& scores, const T* weights, const T* upstream,
                     T* gradient) const {
    if (learnable) return false;
    kernels::entmax_backward(alpha, weights, upstream, gradient, scores.rows, scores.columns);
    return true;
  }

  // (sum p^alpha - 1) / (alpha (alpha-1)) as sum p (p^(alpha-1) - 1) / (alpha-1) / alpha, which is
  // sum p log p at 1.
  double regulariser(std::span<const double> p) const {
    double sum = 0;
    for (const double value : p) {
      if (value <= 0) continue;
      const double l = std::log(value);
      sum += value * (alpha == 1 ? l : std::expm1((alpha - 1) * l) / (alpha - 1));
    }
    // On the simplex only: a sum of p other than 1 would bring a term of its own.
    return sum / alpha;
  }
  double maximum(std::span<const double> theta) const {
    const auto p = row_memory<double, Purpose::probabilities>(theta.size());
    kernels::entmax(alpha, theta.data(), p.data(), 1, p.size());
    return inner_product(p, theta) - regulariser(p);
  }
};

const ListedNormaliser<Entmax> kListed;
const ListedReading<Entmax> kAlpha("normaliser", "alpha", &Entmax::learnt_alpha);

}  // namespace
}  // namespace heed::attention
