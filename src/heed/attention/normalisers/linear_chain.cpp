// SPDX-License-Identifier: Apache-2.0
// Linear chain: each key is chosen or not, and neighbours influence each other.
#include <cmath>
#include <optional>

#include "heed/attention/normalisers/log_odds.h"
#include "heed/attention/normalisers/structured_row.h"
#include "heed/kernels/attention/chain_rows.h"
#include "heed/nn/initialisers.h"
#include "heed/tensor/tensor.h"

namespace heed::attention {
namespace {

// score(z) = <scores, z> + coupling (neighbours both chosen) - change (neighbours that differ).
//
// Sums run along the keys as log-odds, f_i those of key i given what lies before it, b_i what the
// keys after it add, u_i = scores_i + b_i, and mu_i = sigmoid(f_i + b_i). No partition function is
// subtracted: exp(alpha + beta - A) is off by 7e-3 at 3,000 keys in float, this by 4e-7.
struct ChainTable {
  double coupling;
  double change;

  // What a neighbour of log-odds x adds to a key's: log(e^-change + e^(coupling + x)) - log(1 +
  // e^(x - change)), from the side where nothing cancels.
  double step(double x) const {
    if (x > 0) {
      return coupling + change + log_one_plus_exp(-change - coupling - x) -
             log_one_plus_exp(change - x);
    }
    return log_one_plus_exp(coupling + change + x) - log_one_plus_exp(x - change) - change;
  }
  // The same where the better of two takes all.
  double best_step(double x) const {
    const auto above = [](double value) { return std::max(value, 0.0); };
    if (x > 0) return coupling + change + above(-change - coupling - x) - above(change - x);
    return above(coupling + change + x) - above(x - change) - change;
  }
  // The probability that a neighbour of log-odds x is chosen where the key is, and where it is not.
  double beside_chosen(double x) const { return probability_of_odds(coupling + change + x); }
  double beside_other(double x) const { return probability_of_odds(x - change); }
};

// The log-odds of a row and, for each, the two probabilities of its neighbour.
struct ChainSweeps {
  std::span<double> f, u, odds;     // f + b
  std::span<double> p_f, q_f;       // beside_chosen, beside_other of f: of the key before
  std::span<double> p_u, q_u;       // of u: of the key after
  std::span<double> first, second;  // for who reads them

  ChainSweeps(const ChainTable& table, std::span<const double> scores) {
    const std::size_t n = scores.size();
    const auto memory = row_memory<double, Purpose::chart>(9 * n);
    std::span<double>* const parts[] = {&f, &u, &odds, &p_f, &q_f, &p_u, &q_u, &first, &second};
    for (std::size_t i = 0; i < 9; ++i) *parts[i] = memory.subspan(i * n, n);
    f[0] = scores[0];
    for (std::size_t i = 1; i < n; ++i) f[i] = scores[i] + table.step(f[i - 1]);
    double after = 0;
    for (std::size_t i = n; i-- > 0;) {
      odds[i] = f[i] + after;
      u[i] = scores[i] + after;
      if (i > 0) after = table.step(u[i]);
    }
  }
  void find_neighbours(const ChainTable& table) {
    for (std::size_t i = 0; i < f.size(); ++i) {
      p_f[i] = table.beside_chosen(f[i]);
      q_f[i] = table.beside_other(f[i]);
      p_u[i] = table.beside_chosen(u[i]);
      q_u[i] = table.beside_other(u[i]);
    }
  }
  // P(keys i and i + 1 are both chosen)
  double both(std::size_t i) const { return probability_of_odds(odds[i + 1]) * p_f[i]; }
};

// How often two neighbours are both chosen, and how often they differ.
struct ChainPairs {
  double both = 0;
  double changes = 0;
};

ChainPairs pairs_of(std::span<const double> z) {
  ChainPairs pairs;
  for (std::size_t i = 1; i < z.size(); ++i) {
    pairs.both += z[i - 1] * z[i];
    pairs.changes += std::abs(z[i] - z[i - 1]);
  }
  return pairs;
}

struct LinearChain final : RowStructure {
  double coupling = 1;
  double change = 0;
  bool learnable = false;
  bool average = false;
  Variable pair;  // [H,2], coupling and switch, where they are learnt

  static Card card() {
    return {
        .name = "linear_chain",
        .summary =
            "Each key is chosen or not, and neighbours draw each other in: the probability "
            "that it is.",
        .formula =
            "p_i = P(z_i = 1), P(z) ∝ exp(Σ s_i z_i + coupling Σ z_i z_(i+1) - switch Σ "
            "|z_i - z_(i+1)|); average: p / Σ p",
        .source = "Kim, Denton, Hoang & Rush 2017",
        .promises = {Promise::in_unit_interval, Promise::reversal_equivariant,
                     Promise::breaks_ties},
        .examples = {"coupling=-0.7, switch=0.4", "coupling=2.0, learnable=true", "average=true"}};
  }
  // An average over the keys is no choice's expectation.
  const RowStructure* structure() const { return average ? nullptr : this; }
  void declare(Options& options) {
    options.add("coupling", coupling, "the reward of two chosen neighbours");
    options.add("switch", change, "the price of each change from chosen to not, or back");
    options.add("learnable", learnable, "learn coupling and switch, which these start from");
    options.add("average", average, "divide the weights by their sum");
  }
  void build(const NormaliserShape& shape, Random&) {
    if (!learnable) return;
    Tensor first({shape.heads, 2});
    for (std::int64_t h = 0; h < shape.heads; ++h) {
      first.mutable_data()[2 * h] = static_cast<Real>(coupling);
      first.mutable_data()[2 * h + 1] = static_cast<Real>(change);
    }
    pair = nn::parameter(first);
  }
  void visit(nn::ParameterVisitor& visitor) { visitor("", pair); }
  Variable parameters() const { return pair; }

  ChainTable table_of(const Row<double>& row) const {
    if (row.parameters.empty()) return {coupling, change};
    return {row.parameters[0], row.parameters[1]};
  }

  double log_partition(const Row<double>& row) const override {
    const ChainTable table = table_of(row);
    double f = row.scores[0], sum = 0;
    for (std::size_t i = 1; i < row.scores.size(); ++i) {
      sum += log_one_plus_exp(f - table.change);
      f = row.scores[i] + table.step(f);
    }
    return sum + log_one_plus_exp(f);
  }
  void marginals(const Row<double>& row, std::span<double> mu) const override {
    const ChainSweeps sweeps(table_of(row), row.scores);
    std::transform(sweeps.odds.begin(), sweeps.odds.end(), mu.begin(), probability_of_odds);
  }
  void marginals_backward(const Row<double>& row, std::span<const double> upstream,
                          const RowGradient<double>& gradient) const override {
    const ChainTable table = table_of(row);
    ChainSweeps sweeps(table, row.scores);
    for (std::size_t i = 0; i < upstream.size(); ++i) {
      const double mu = probability_of_odds(sweeps.odds[i]);
      sweeps.first[i] = upstream[i] * mu * (1 - mu);
    }
    odds_backward(table, sweeps, gradient);
  }

  // The lexicographically first of equals.
  void best(const Row<double>& row, std::span<double> z) const override {
    const ChainTable table = table_of(row);
    const std::size_t n = z.size();
    const auto u = row_memory<double, Purpose::chart>(n);
    double after = 0;
    for (std::size_t i = n; i-- > 0;) {
      u[i] = row.scores[i] + after;
      after = table.best_step(u[i]);
    }
    for (std::size_t i = 0; i < n; ++i) {
      const bool beside = i > 0 && z[i - 1] == 1;
      const double reward = i == 0 ? 0 : beside ? table.coupling + table.change : -table.change;
      z[i] = u[i] + reward > 0 ? 1 : 0;
    }
  }
  // From the last key: given the one after it, key i has the log-odds f_i and what the pair adds.
  void draw(const Row<double>& row, std::span<double> z) const override {
    const ChainTable table = table_of(row);
    const ChainSweeps sweeps(table, row.scores);
    for (std::size_t i = z.size(); i-- > 0;) {
      const bool last = i + 1 == z.size();
      const double p = last            ? probability_of_odds(sweeps.f[i])
                       : z[i + 1] == 1 ? table.beside_chosen(sweeps.f[i])
                                       : table.beside_other(sweeps.f[i]);
      z[i] = row.random.uniform(row.keys[i]) < p ? 1 : 0;
    }
  }
  double score(const Row<double>& row, std::span<const double> z) const override {
    const ChainTable table = table_of(row);
    const ChainPairs pairs = pairs_of(z);
    return inner_product(row.scores, z) + table.coupling * pairs.both -
           table.change * pairs.changes;
  }
  void log_probability_backward(const Row<double>& row, std::span<const double> z, double upstream,
                                const RowGradient<double>& gradient) const override {
    RowStructure::log_probability_backward(row, z, upstream, gradient);
    if (gradient.parameters.empty()) return;
    const ChainPairs drawn = pairs_of(z), expected = expected_pairs(row);
    gradient.parameters[0] += upstream * (drawn.both - expected.both);
    gradient.parameters[1] -= upstream * (drawn.changes - expected.changes);
  }
  double entropy(const Row<double>& row) const override {
    const ChainTable table = table_of(row);
    const ChainPairs pairs = expected_pairs(row);
    return RowStructure::entropy(row) - table.coupling * pairs.both + table.change * pairs.changes;
  }
  // dH is minus the change of all expectations when scores, coupling and switch grow in proportion:
  // A' is the expectation, and H = A - <what is scored, A'>.
  void entropy_backward(const Row<double>& row, double upstream,
                        const RowGradient<double>& gradient) const override {
    const ChainTable table = table_of(row);
    ChainSweeps sweeps(table, row.scores);
    sweeps.find_neighbours(table);
    const std::size_t n = row.scores.size();
    const auto grown_step = [&](double p, double q, double grown) {
      return (p - q) * grown + p * table.coupling + (p + q - 1) * table.change;
    };
    const std::span<double> f_grown = sweeps.first, mu_grown = sweeps.second;
    for (std::size_t i = 0; i < n; ++i) {
      f_grown[i] = row.scores[i];
      if (i > 0) f_grown[i] += grown_step(sweeps.p_f[i - 1], sweeps.q_f[i - 1], f_grown[i - 1]);
    }
    double after = 0;
    for (std::size_t i = n; i-- > 0;) {
      const double mu = probability_of_odds(sweeps.odds[i]);
      mu_grown[i] = mu * (1 - mu) * (f_grown[i] + after);
      gradient.scores[i] = -upstream * mu_grown[i];
      after = grown_step(sweeps.p_u[i], sweeps.q_u[i], row.scores[i] + after);
    }
    if (gradient.parameters.empty()) return;
    for (std::size_t i = 0; i + 1 < n; ++i) {
      const double p = sweeps.p_f[i], mu = probability_of_odds(sweeps.odds[i + 1]);
      const double both =
          mu_grown[i + 1] * p + mu * p * (1 - p) * (f_grown[i] + table.coupling + table.change);
      gradient.parameters[0] -= upstream * both;
      gradient.parameters[1] += upstream * (mu_grown[i] + mu_grown[i + 1] - 2 * both);
    }
  }

  template <typename T>
  void forward(const Row<T>& row, std::span<T> weights) const {
    expected_choice(*this, row, weights);
    if (average) divide_by_sum(row, weights);
  }
  template <typename T>
  void backward(const Row<T>& row, std::span<const T> weights, const RowUpstream<T>& upstream,
                const RowGradient<T>& gradient) const {
    if (!average) return expected_choice_backward(*this, row, upstream, gradient);
    if (has_nan(row.scores)) return fill_with_nan(gradient.scores);
    // p = softmax(log mu), and d log mu = (1 - mu) d odds.
    const double mean = inner_product(weights, upstream.weights);
    backward_in_double(
        row, upstream.weights, gradient,
        [&](const Row<double>& wide, std::span<const double> g, const RowGradient<double>& d) {
          const ChainTable table = table_of(wide);
          ChainSweeps sweeps(table, wide.scores);
          for (std::size_t i = 0; i < g.size(); ++i) {
            sweeps.first[i] = weights[i] * (g[i] - mean) * probability_of_odds(-sweeps.odds[i]);
          }
          odds_backward(table, sweeps, d);
        });
  }

  // Rows side by side in SIMD lanes: 8 ns per key forward and backward in float.
  template <typename T>
  bool forward_rows(const Matrix<T>& scores, T* weights) const {
    return has_kernel() && kernels::chain_marginals({coupling, change}, scores.data, weights,
                                                    scores.rows, scores.columns);
  }
  template <typename T>
  bool backward_rows(const Matrix<T>& scores, const T* weights, const T* upstream,
                     T* gradient) const {
    return has_kernel() &&
           kernels::chain_marginals_backward({coupling, change}, scores.data, weights, upstream,
                                             gradient, scores.rows, scores.columns);
  }

  // Of the weights as they are where coupling and switch are the same for all heads.
  std::optional<double> maximum(std::span<const double> theta) const {
    if (average || learnable) return std::nullopt;
    return log_partition({.scores = theta, .keys = {}});
  }

 private:
  bool has_kernel() const {
    return !average && !learnable && kernels::chain_pair_fits({coupling, change});
  }

  ChainPairs expected_pairs(const Row<double>& row) const {
    const ChainTable table = table_of(row);
    ChainSweeps sweeps(table, row.scores);
    sweeps.find_neighbours(table);
    ChainPairs pairs;
    for (std::size_t i = 0; i + 1 < row.scores.size(); ++i) {
      const double both = sweeps.both(i);
      pairs.both += both;
      pairs.changes +=
          probability_of_odds(sweeps.odds[i]) + probability_of_odds(sweeps.odds[i + 1]) - 2 * both;
    }
    return pairs;
  }

  // From the gradient of the log-odds, which sweeps.first holds, to that of scores and parameters:
  // it runs back along f to the left, and along u to the right.
  static void odds_backward(const ChainTable& table, ChainSweeps& sweeps,
                            const RowGradient<double>& gradient) {
    sweeps.find_neighbours(table);
    const std::span<const double> m = sweeps.first;
    const std::size_t n = m.size();
    double d_coupling = 0, d_switch = 0;
    const auto add_pair = [&](double d, double p, double q) {
      d_coupling += d * p;
      d_switch += d * (p + q - 1);
    };
    double right = 0, left = 0;  // what comes back to f_i, and what to u_i
    for (std::size_t i = n; i-- > 0;) {
      if (i + 1 < n) add_pair(right, sweeps.p_f[i], sweeps.q_f[i]);
      right = m[i] + (sweeps.p_f[i] - sweeps.q_f[i]) * right;
      gradient.scores[i] = right;
    }
    for (std::size_t i = 0; i < n; ++i) {
      if (i > 0) add_pair(left, sweeps.p_u[i], sweeps.q_u[i]);
      const double from_left = i > 0 ? (sweeps.p_u[i] - sweeps.q_u[i]) * left : 0;
      gradient.scores[i] += from_left;
      left = m[i] + from_left;
    }
    if (gradient.parameters.empty()) return;
    gradient.parameters[0] += d_coupling;
    gradient.parameters[1] += d_switch;
  }

  // p = mu / sum mu from log mu, which is finite where every mu is too small for a number.
  template <typename T>
  void divide_by_sum(const Row<T>& row, std::span<T> weights) const {
    if (has_nan(row.scores)) return;
    const Row<double> wide = clamped_row(row);
    const ChainSweeps sweeps(table_of(wide), wide.scores);
    for (double& odds : sweeps.odds) odds = -log_one_plus_exp(-odds);
    softmax_row<double>(sweeps.odds, 1, sweeps.odds);
    std::transform(sweeps.odds.begin(), sweeps.odds.end(), weights.begin(),
                   [](double value) { return static_cast<T>(value); });
  }
};

const ListedNormaliser<LinearChain> kListed;

}  // namespace
}  // namespace heed::attention
