// SPDX-License-Identifier: Apache-2.0
// Gumbel top-k: k keys drawn without replacement, learnt through a relaxed choice.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

#include "heed/attention/normalisers/relaxed_topk.h"
#include "heed/attention/normalisers/row_math.h"
#include "heed/base/error.h"

namespace heed::attention {
namespace {

// The k largest of z + G, in their order, are drawn one after the other from softmax of what is
// left (Plackett-Luce; Vieira 2014, Kool et al. 2019).
struct GumbelTopk {
  enum class Gradient { relaxed, score };
  std::int64_t k = 2;
  double temperature = 1;
  bool hard = true;
  Gradient gradient = Gradient::relaxed;

  static Card card() {
    return {
        .name = "gumbel_topk",
        .summary =
            "Draws k keys without replacement, 1 each, with the gradient of a relaxed choice, "
            "or by "
            "the log-probability of their order, for REINFORCE.",
        .formula =
            "p = 1 on the k largest of z + G, G = -log(-log u); soft: k softmaxes of (z + "
            "G)/T, each after z ← z + log(1 - the last)",
        .source = "Kool, van Hoof & Welling 2019; Xie & Ermon 2019",
        .promises = {Promise::shift_invariant, Promise::sparse, Promise::random,
                     Promise::surrogate_gradient, Promise::sums_to_k, Promise::in_unit_interval},
        .examples = {"k=1", "k=3", "temperature=0.5, hard=false", "gradient=score"}};
  }
  void declare(Options& options) {
    options.add("k", k, "how many keys are drawn").at_least(1);
    options.add("temperature", temperature, "divides the noisy scores of the relaxed choice")
        .above(0);
    options.add("hard", hard, "weight 1 on k keys, else the relaxed choice itself");
    options.add("gradient", gradient, {"relaxed", "score"},
                "as that of the relaxed choice, or by the log-probability in a loss");
  }
  void check(std::int64_t n) const {
    if (draws() && !hard) {
      throw UsageError(
          "gumbel_topk: hard=false has weights that pass a gradient on; leave gradient=score out");
    }
    if (k > n) {
      throw UsageError("gumbel_topk: k is {}, but there are {} keys; k may be at most the keys", k,
                       n);
    }
  }
  std::optional<bool> keeps(Promise promise) const {
    if (promise == Promise::sums_to_one) return k == 1;
    if (promise == Promise::sums_to_k || promise == Promise::in_unit_interval) return k != 1;
    if (promise == Promise::sparse) return hard;
    if (promise == Promise::surrogate_gradient) return hard && !draws();
    if (promise == Promise::symmetric_jacobian) return draws();
    return std::nullopt;
  }
  // With the relaxed gradient, a log-probability in the loss would count what it teaches twice.
  bool draws() const { return gradient == Gradient::score; }

  template <typename T>
  void forward(const Row<T>& row, std::span<T> weights) const {
    if (takes_all(weights.size())) return std::fill(weights.begin(), weights.end(), T{1});
    if (has_nan(row.scores)) return fill_with_nan(weights);
    if (hard) {
      std::fill(weights.begin(), weights.end(), T{0});
      for (const std::size_t i : order(row)) weights[i] = 1;
      return;
    }
    const auto rounds = rounds_of(row);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < count(); ++j) sum += rounds[j * weights.size() + i];
      weights[i] = static_cast<T>(sum);
    }
  }

  // log p(s_1, ..., s_k) = sum over j of z_sj - lse of what is left. The entropy is that of each
  // draw given those before it, along this order: its mean is the entropy of the order.
  template <typename T>
  RowDraw<T> draw(const Row<T>& row, std::span<const T> weights) const {
    if (takes_all(weights.size())) return {};
    RowDraw<double> value;
    for_each_pick(row, [&](std::size_t pick, std::span<const double> log_p, double entropy) {
      value.log_probability += log_p[pick];
      value.entropy += entropy;
    });
    return {static_cast<T>(value.log_probability), static_cast<T>(value.entropy)};
  }

  template <typename T>
  void backward(const Row<T>& row, std::span<const T> weights, const RowUpstream<T>& upstream,
                const RowGradient<T>& found) const {
    const std::size_t n = weights.size();
    if (takes_all(n)) return std::fill(found.scores.begin(), found.scores.end(), T{0});
    const auto g = row_memory<double, Purpose::gradient>(n);
    const auto dz = row_memory<double, Purpose::of_gradient>(n);
    std::copy(upstream.weights.begin(), upstream.weights.end(), g.begin());
    if (draws()) {
      std::fill(dz.begin(), dz.end(), 0.0);
    } else {
      relaxed_topk_backward(relaxed(), rounds_of(row), g, dz);
    }
    if (upstream.log_probability != 0 || upstream.entropy != 0) {
      for_each_pick(row, [&](std::size_t pick, std::span<const double> log_p, double entropy) {
        for (std::size_t i = 0; i < n; ++i) {
          const double p = std::exp(log_p[i]);
          dz[i] += upstream.log_probability * ((i == pick ? 1 : 0) - p);
          if (p > 0) dz[i] -= upstream.entropy * p * (log_p[i] + entropy);
        }
      });
    }
    std::transform(dz.begin(), dz.end(), found.scores.begin(),
                   [](double value) { return static_cast<T>(value); });
  }

 private:
  std::size_t count() const { return static_cast<std::size_t>(k); }
  bool takes_all(std::size_t n) const { return n <= count(); }
  RelaxedTopk relaxed() const { return {count(), temperature}; }

  // [k,n]
  template <typename T>
  std::span<const double> rounds_of(const Row<T>& row) const {
    const auto rounds = row_memory<double, Purpose::of_weights>(count() * row.scores.size());
    relaxed_topk(relaxed(), perturbed_scores(row), rounds);
    return rounds;
  }
  // The k keys in the order of their noisy scores, the first of equals first.
  template <typename T>
  std::span<const std::size_t> order(const Row<T>& row) const {
    const auto noisy = perturbed_scores(row);
    const auto places = row_memory<std::size_t, Purpose::drawn>(noisy.size());
    for (std::size_t i = 0; i < places.size(); ++i) places[i] = i;
    std::partial_sort(places.begin(), places.begin() + k, places.end(),
                      [&](std::size_t a, std::size_t b) {
                        return noisy[a] != noisy[b] ? noisy[a] > noisy[b] : a < b;
                      });
    return places.first(count());
  }
  // body(pick, log p of all keys given the picks before, entropy of that), pick by pick; the keys
  // that are gone have -inf.
  template <typename T, typename Body>
  void for_each_pick(const Row<T>& row, const Body& body) const {
    const std::size_t n = row.scores.size();
    const auto left = row_memory<double, Purpose::of_scores>(n);
    const auto log_p = row_memory<double, Purpose::probabilities>(n);
    const std::span<const std::size_t> picks = order(row);
    std::copy(row.scores.begin(), row.scores.end(), left.begin());
    for (const std::size_t pick : picks) {
      kernels::log_softmax(left.data(), log_p.data(), 1, n);
      double entropy = 0;
      for (const double value : log_p) {
        if (const double p = std::exp(value); p > 0) entropy -= p * value;
      }
      body(pick, std::span<const double>(log_p), entropy);
      left[pick] = -std::numeric_limits<double>::infinity();
    }
  }
};

const ListedNormaliser<GumbelTopk> kListed;

}  // namespace
}  // namespace heed::attention
