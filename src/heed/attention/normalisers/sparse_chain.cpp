// SPDX-License-Identifier: Apache-2.0
// Sparse chain: a few sequences of choices, in which neighbours draw each other in, share the
// weight.
#include <algorithm>
#include <cmath>
#include <vector>

#include "heed/attention/normalisers/chain_oracle.h"
#include "heed/attention/normalisers/sequence_map.h"
#include "heed/attention/normalisers/structured_row.h"
#include "heed/attention/normalisers/total_variation.h"

namespace heed::attention {
namespace {

// With any number of keys there is a short way. Of neighbours with weights a and b the share that
// chooses both may be anything between max(0, a + b - 1) and min(a, b); the best is min(a, b) = (a
// + b - |a - b|) / 2 for a coupling above 0, and the same with every other key turned round, 1 - p,
// for one below. So p is a total-variation prox, clipped to [0, 1]; O(n).
class FreeChain {
 public:
  FreeChain(std::span<const double> scores, double coupling)
      : turns_(coupling < 0), p_(row_memory<double, Purpose::chart>(scores.size())) {
    const std::size_t n = scores.size();
    const double strength = std::abs(coupling) / 4;
    for (std::size_t i = 0; i < n; ++i) {
      const int neighbours = (i > 0) + (i + 1 < n);
      const double alone = (scores[i] + 1 + coupling * neighbours / 2) / 2;
      // What lies further out than its neighbours can pull it back from is 0 or 1 all the same, and
      // sums keep their digits.
      p_[i] = std::clamp(turned(i) ? 1 - alone : alone, -2 * strength - 1, 2 * strength + 2);
    }
    total_variation_prox(p_, strength, p_, ends());
  }
  double weight(std::size_t i) const {
    const double p = std::clamp(p_[i], 0.0, 1.0);
    return turned(i) ? 1 - p : p;
  }
  // Half the mean over each run that is neither 0 nor 1.
  void backward(std::span<const double> upstream, std::span<double> d_scores) const {
    std::size_t begin = 0;
    for (const std::size_t end : ends()) {
      double sum = 0;
      for (std::size_t i = begin; i < end; ++i) sum += turned(i) ? -upstream[i] : upstream[i];
      const bool is_free = p_[begin] > 0 && p_[begin] < 1;
      const double mean = is_free ? sum / static_cast<double>(end - begin) / 2 : 0;
      for (std::size_t i = begin; i < end; ++i) d_scores[i] = turned(i) ? -mean : mean;
      begin = end;
    }
  }

 private:
  bool turned(std::size_t i) const { return turns_ && i % 2 == 1; }
  // Where runs end; this thread's, so that rows allocate nothing.
  static std::vector<std::size_t>& ends() {
    thread_local std::vector<std::size_t> memory;
    return memory;
  }

  bool turns_;
  std::span<double> p_;  // turned
};

struct SparseChain {
  double coupling = 1;
  std::int64_t most = 0;
  double temperature = 1;

  static Card card() {
    return {.name = "sparse_chain",
            .summary =
                "Each key is chosen or not, neighbours draw each other in, and a few such "
                "sequences share the weight.",
            .formula =
                "p = argmax Σ s_i p_i + coupling Σ p_(i,i+1) - temperature Σ (p_i² + (1 - p_i)²) / "
                "2 over averages of sequences of choices, at-most keys in each (0: any number)",
            .source = "Niculae, Martins, Blondel & Cardie 2018; Guerreiro & Martins 2021 (at-most)",
            .promises = {Promise::in_unit_interval, Promise::reversal_equivariant,
                         Promise::symmetric_jacobian, Promise::sparse, Promise::breaks_ties,
                         Promise::has_temperature},
            .examples = {"coupling=-0.7", "coupling=0.3, at-most=3, temperature=0.7"}};
  }
  void declare(Options& options) {
    options.add("coupling", coupling, "the reward of two chosen neighbours");
    options.add("at-most", most, "how many keys a sequence may choose; 0: any number").at_least(0);
    options.add("temperature", temperature, "how far the weights spread").above(0);
  }

  // Calls f(scores / temperature, coupling / temperature).
  template <typename T, typename F>
  void scaled(const Row<T>& row, const F& f) const {
    const auto scores = row_memory<double, Purpose::scores>(row.scores.size());
    std::copy(row.scores.begin(), row.scores.end(), scores.begin());
    for (double& score : scores) score = std::clamp(score / temperature, -1e300, 1e300);
    f(std::span<const double>(scores), coupling / temperature);
  }
  bool is_free(std::size_t n) const { return most == 0 || static_cast<std::size_t>(most) >= n; }

  void weigh(std::span<const double> scores, double pull, std::span<double> p) const {
    if (is_free(p.size())) {
      const FreeChain chain(scores, pull);
      for (std::size_t i = 0; i < p.size(); ++i) p[i] = chain.weight(i);
      return;
    }
    const ChainOracle oracle(p.size(), pull, static_cast<std::size_t>(most));
    sequence_weights(solved_sequence(oracle, scores), p);
  }
  template <typename T>
  void forward(const Row<T>& row, std::span<T> weights) const {
    if (has_nan(row.scores)) return fill_with_nan(weights);
    const auto p = row_memory<double, Purpose::probabilities>(weights.size());
    scaled(row, [&](std::span<const double> scores, double pull) { weigh(scores, pull, p); });
    std::transform(p.begin(), p.end(), weights.begin(),
                   [](double value) { return static_cast<T>(value); });
  }
  template <typename T>
  void backward(const Row<T>& row, std::span<const T>, const RowUpstream<T>& upstream,
                const RowGradient<T>& gradient) const {
    if (has_nan(row.scores)) return fill_with_nan(gradient.scores);
    const std::size_t n = upstream.weights.size();
    const auto g = row_memory<double, Purpose::upstream>(n);
    const auto d = row_memory<double, Purpose::gradient>(n);
    std::copy(upstream.weights.begin(), upstream.weights.end(), g.begin());
    scaled(row, [&](std::span<const double> scores, double pull) {
      if (is_free(n)) return FreeChain(scores, pull).backward(g, d);
      const ChainOracle oracle(n, pull, static_cast<std::size_t>(most));
      sequence_backward(solved_sequence(oracle, scores), g, d);
    });
    for (std::size_t i = 0; i < n; ++i) gradient.scores[i] = static_cast<T>(d[i] / temperature);
  }

  std::vector<Member> members(const Row<double>& row) const {
    std::vector<Member> all;
    if (has_nan(row.scores)) return all;
    scaled(row, [&](std::span<const double> scores, double pull) {
      const ChainOracle oracle(scores.size(), pull, static_cast<std::size_t>(most));
      all = sequence_members(solved_sequence(oracle, scores), row.keys);
    });
    return all;
  }

  double maximum(std::span<const double> theta) const {
    double best = 0;
    scaled(Row<double>{.scores = theta, .keys = {}},
           [&](std::span<const double> scores, double pull) {
             const ChainOracle oracle(theta.size(), pull, static_cast<std::size_t>(most));
             best = temperature * solved_sequence(oracle, scores).maximum();
           });
    return best;
  }
};

const ListedNormaliser<SparseChain> kListed;

}  // namespace
}  // namespace heed::attention
