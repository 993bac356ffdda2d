// SPDX-License-Identifier: Apache-2.0
// Sparse span: a few runs of neighbouring keys share the weight.
#include "heed/attention/normalisers/sequence_map.h"
#include "heed/attention/normalisers/span_oracle.h"
#include "heed/attention/normalisers/structured_row.h"

namespace heed::attention {
namespace {

struct SparseSpan {
  static Card card() {
    return {.name = "sparse_span",
            .summary = "A few runs of neighbouring keys share the weight; keys outside have none.",
            .formula = "p = argmax Σ s_i p_i - Σ (p_i² + (1 - p_i)²) / 2 over averages of runs",
            .source = "Niculae, Martins, Blondel & Cardie 2018",
            .promises = {Promise::in_unit_interval, Promise::reversal_equivariant,
                         Promise::symmetric_jacobian, Promise::sparse}};
  }
  void declare(Options&) {}

  template <typename T>
  void forward(const Row<T>& row, std::span<T> weights) const {
    if (has_nan(row.scores)) return fill_with_nan(weights);
    const SpanOracle oracle(weights.size());
    const auto p = row_memory<double, Purpose::probabilities>(weights.size());
    sequence_weights(solved_sequence(oracle, clamped_row(row).scores), p);
    std::transform(p.begin(), p.end(), weights.begin(),
                   [](double value) { return static_cast<T>(value); });
  }
  template <typename T>
  void backward(const Row<T>& row, std::span<const T>, const RowUpstream<T>& upstream,
                const RowGradient<T>& gradient) const {
    if (has_nan(row.scores)) return fill_with_nan(gradient.scores);
    backward_in_double(
        row, upstream.weights, gradient,
        [](const Row<double>& wide, std::span<const double> g, const RowGradient<double>& d) {
          const SpanOracle oracle(g.size());
          sequence_backward(solved_sequence(oracle, wide.scores), g, d.scores);
        });
  }
  std::vector<Member> members(const Row<double>& row) const {
    if (has_nan(row.scores)) return {};
    const SpanOracle oracle(row.scores.size());
    return sequence_members(solved_sequence(oracle, clamped_row(row).scores), row.keys);
  }
  double maximum(std::span<const double> theta) const {
    const SpanOracle oracle(theta.size());
    return solved_sequence(oracle, theta).maximum();
  }
};

const ListedNormaliser<SparseSpan> kListed;

}  // namespace
}  // namespace heed::attention
