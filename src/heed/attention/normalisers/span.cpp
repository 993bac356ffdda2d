// SPDX-License-Identifier: Apache-2.0
// Span: one run of neighbouring keys is chosen.
#include <cmath>
#include <limits>

#include "heed/attention/normalisers/log_odds.h"
#include "heed/attention/normalisers/structured_row.h"
#include "heed/kernels/softmax.h"

namespace heed::attention {
namespace {

// a_i, the log of the sum over runs that end at key i: a_i = scores_i + log(1 + e^a_(i-1)).
struct SpanEnds {
  std::span<double> a, ends;  // ends: P(the run ends at i)
  double log_partition;

  explicit SpanEnds(std::span<const double> scores) {
    const std::size_t n = scores.size();
    const auto memory = row_memory<double, Purpose::chart>(2 * n);
    a = memory.first(n);
    ends = memory.subspan(n);
    a[0] = scores[0];
    for (std::size_t i = 1; i < n; ++i) a[i] = scores[i] + log_one_plus_exp(a[i - 1]);
    kernels::softmax(a.data(), ends.data(), 1, n);
    const double top = largest(std::span<const double>(a));
    double sum = 0;
    for (const double value : a) sum += std::exp(value - top);
    log_partition = top + std::log(sum);
  }
  // P(the run reaches back to key i, given that it covers key i + 1)
  double reaches(std::size_t i) const { return probability_of_odds(a[i]); }
};

struct Span final : ExpectedChoice {
  static Card card() {
    return {.name = "span",
            .summary =
                "One run of neighbouring keys is chosen: the probability that it covers "
                "each.",
            .formula = "p_i = Σ P(a, b) over a ≤ i ≤ b, P(a, b) ∝ exp(s_a + … + s_b)",
            .source = "Kim, Denton, Hoang & Rush 2017 (structured attention)",
            .promises = {Promise::in_unit_interval, Promise::reversal_equivariant,
                         Promise::symmetric_jacobian, Promise::breaks_ties}};
  }
  void declare(Options&) {}

  double log_partition(const Row<double>& row) const override {
    return SpanEnds(row.scores).log_partition;
  }
  // From the last key: the run ends here, or covers the next key and reaches back to this one. No
  // logs are subtracted: exp(a + e - A) loses its digits as the scores grow.
  void marginals(const Row<double>& row, std::span<double> mu) const override {
    const SpanEnds runs(row.scores);
    double next = 0;
    for (std::size_t i = mu.size(); i-- > 0;) {
      next = std::min(1.0, runs.ends[i] + runs.reaches(i) * next);
      mu[i] = next;
    }
  }
  // The Jacobian is symmetric: its product with g is how the marginals change along g.
  void marginals_backward(const Row<double>& row, std::span<const double> upstream,
                          const RowGradient<double>& gradient) const override {
    const SpanEnds runs(row.scores);
    const std::span<double> change = gradient.scores;  // first of a, then of mu
    double mean = 0;
    for (std::size_t i = 0; i < change.size(); ++i) {
      change[i] = upstream[i] + (i > 0 ? runs.reaches(i - 1) * change[i - 1] : 0);
      mean += runs.ends[i] * change[i];
    }
    double mu = 0, mu_change = 0;
    for (std::size_t i = change.size(); i-- > 0;) {
      const double reaches = runs.reaches(i);
      mu_change = runs.ends[i] * (change[i] - mean) + reaches * mu_change +
                  reaches * (1 - reaches) * change[i] * mu;
      mu = runs.ends[i] + reaches * mu;
      change[i] = mu_change;
    }
  }

  // Of equals the run that ends first, and of these the shortest.
  void best(const Row<double>& row, std::span<double> z) const override {
    double sum = 0, highest = -std::numeric_limits<double>::infinity();
    std::size_t begin = 0, first = 0, last = 0;
    for (std::size_t i = 0; i < z.size(); ++i) {
      if (!(sum > 0)) {
        sum = 0;
        begin = i;
      }
      sum += row.scores[i];
      if (sum > highest) {
        highest = sum;
        first = begin;
        last = i;
      }
    }
    for (std::size_t i = 0; i < z.size(); ++i) z[i] = i >= first && i <= last ? 1 : 0;
  }
  // From the last key, one random number each: whether the run ends here, of those that end no
  // later; then whether it reaches back.
  void draw(const Row<double>& row, std::span<double> z) const override {
    const SpanEnds runs(row.scores);
    // log of the sum over runs that end at a key or before it
    const auto before = row_memory<double, Purpose::probabilities>(z.size());
    before[0] = runs.a[0];
    for (std::size_t i = 1; i < z.size(); ++i) {
      before[i] = before[i - 1] + log_one_plus_exp(runs.a[i] - before[i - 1]);
    }
    std::size_t i = z.size() - 1;
    const auto is_drawn = [&](double p) { return row.random.uniform(row.keys[i]) < p; };
    std::fill(z.begin(), z.end(), 0.0);
    while (i > 0 && !is_drawn(std::exp(runs.a[i] - before[i]))) --i;
    z[i] = 1;
    while (i-- > 0 && is_drawn(runs.reaches(i))) z[i] = 1;
  }
  double score(const Row<double>& row, std::span<const double> z) const override {
    int runs = 0;
    for (std::size_t i = 0; i < z.size(); ++i) runs += z[i] == 1 && (i == 0 || z[i - 1] == 0);
    return runs == 1 ? inner_product(row.scores, z) : -std::numeric_limits<double>::infinity();
  }
};

const ListedNormaliser<Span> kListed;

}  // namespace
}  // namespace heed::attention
