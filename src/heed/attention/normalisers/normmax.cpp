// SPDX-License-Identifier: Apache-2.0
// Normmax: the argmax regularised by a norm of the weights.
#include <cmath>

#include "heed/attention/normalisers/row_math.h"

namespace heed::attention {
namespace {

constexpr int kMostBisections = 200;

struct Normmax {
  double alpha = 2;

  static Card card() {
    return {.name = "normmax",
            .summary = "Regularised by the α-norm of the weights, with exact zeros.",
            .formula = "p ∝ [z - τ]₊^(1/(α-1)), Σ [z - τ]₊^(α/(α-1)) = 1",
            .source = "Blondel, Martins & Niculae 2020; Santos et al. 2024",
            .promises = {Promise::sums_to_one, Promise::shift_invariant,
                         Promise::permutation_equivariant, Promise::symmetric_jacobian,
                         Promise::sparse},
            .examples = {"alpha=1.5", "alpha=3.0"}};
  }
  void declare(Options& options) { options.add("alpha", alpha, "which norm").above(1).at_most(16); }

  template <typename T>
  void forward(const Row<T>& row, std::span<T> weights) const {
    const double top = largest(row.scores);
    const double dual = alpha / (alpha - 1);
    // |[z - tau]+| in the dual norm is convex and falls: Newton from below never overshoots. The
    // largest score alone has norm 1 at max - 1.
    double tau = -1;
    for (int step = 0; step < kMostBisections; ++step) {
      double powers = 0, slopes = 0;
      for (const T score : row.scores) {
        const double r = (score - top) - tau;
        if (!(r > 0)) continue;
        const double slope = std::pow(r, dual - 1);
        slopes += slope;
        powers += slope * r;
      }
      const double norm = std::pow(powers, 1 / dual);
      const double next = tau + (norm - 1) * std::pow(norm, dual - 1) / slopes;
      if (!(next > tau)) break;
      tau = next;
    }
    double sum = 0;
    for (const T score : row.scores) sum += weight((score - top) - tau);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      weights[i] = static_cast<T>(weight((row.scores[i] - top) - tau) / sum);
    }
  }

  // b = p^(2-alpha), B = sum b, c = |p|^(alpha-1) / (alpha-1):
  // dz = c (g b - <g,b> p - <g,p> (b - B p))
  template <typename T>
  void backward(const Row<T>&, std::span<const T> weights, const RowUpstream<T>& upstream,
                const RowGradient<T>& gradient) const {
    const std::span<const T> g = upstream.weights;
    double norm = 0, b_sum = 0, gb = 0, gp = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      if (!(weights[i] > 0)) continue;
      const double p = weights[i], b = std::pow(p, 2 - alpha);
      norm += std::pow(p, alpha);
      b_sum += b;
      gb += g[i] * b;
      gp += g[i] * p;
    }
    const double c = std::pow(norm, (alpha - 1) / alpha) / (alpha - 1);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const double p = weights[i], b = p > 0 ? std::pow(p, 2 - alpha) : 0;
      gradient.scores[i] = static_cast<T>(c * (g[i] * b - gb * p - gp * (b - b_sum * p)));
    }
  }

  // The alpha-norm of p.
  double regulariser(std::span<const double> p) const {
    double sum = 0;
    for (const double value : p) sum += std::pow(value, alpha);
    return std::pow(sum, 1 / alpha);
  }
  double maximum(std::span<const double> theta) const {
    const auto p = row_memory<double, Purpose::probabilities>(theta.size());
    forward(Row<double>{.scores = theta, .keys = {}}, p);
    return inner_product(p, theta) - regulariser(p);
  }

 private:
  // NaN stays NaN.
  double weight(double r) const { return r <= 0 ? 0 : std::pow(r, 1 / (alpha - 1)); }
};

const ListedNormaliser<Normmax> kListed;

}  // namespace
}  // namespace heed::attention
