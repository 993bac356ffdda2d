// SPDX-License-Identifier: Apache-2.0
// Perturbed: the best key of noisy scores, learnt by a second choice (I-MLE) or by the noise.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <optional>

#include "heed/attention/normalisers/row_math.h"

namespace heed::attention {
namespace {

struct Perturbed {
  enum class Noise { gumbel, gaussian };
  enum class Gradient { imle, score };
  double strength = 1;
  Noise noise = Noise::gumbel;
  Gradient gradient = Gradient::imle;
  double lambda = 1;
  std::int64_t samples = 1;

  static Card card() {
    return {.name = "perturbed",
            .summary =
                "The best key of scores with noise, or a mean of several such choices; its "
                "gradient compares the choice with the one that a step against the loss makes.",
            .formula =
                "p = one-hot of the largest z + σZ; imle: (p - one-hot of the largest z + σZ - "
                "λg)/λ; score: d log p = (1 - exp(-Z))/σ, normal noise Z/σ",
            .source = "Berthet et al. 2020; Niepert, Minervini & Franceschi 2021",
            .promises = {Promise::sums_to_one, Promise::shift_invariant, Promise::sparse,
                         Promise::random, Promise::surrogate_gradient},
            .examples = {"strength=0.5", "noise=normal", "gradient=score", "samples=4"}};
  }
  void declare(Options& options) {
    options.add("strength", strength, "what the noise is multiplied with").above(0);
    options.add("noise", noise, {"gumbel", "normal"}, "its distribution");
    options.add("gradient", gradient, {"imle", "score"},
                "by a second choice with the same noise, or by a log-probability in a loss");
    options.add("lambda", lambda, "the step of the second choice").above(0);
    options.add("samples", samples, "choices to take the mean of").range(1, 65536);
  }
  std::optional<bool> keeps(Promise promise) const {
    if (promise == Promise::symmetric_jacobian) return draws();
    if (promise == Promise::surrogate_gradient) return !draws();
    return std::nullopt;
  }
  bool draws() const { return gradient == Gradient::score; }

  template <typename T>
  void forward(const Row<T>& row, std::span<T> weights) const {
    if (has_nan(row.scores)) return fill_with_nan(weights);
    const auto p = row_memory<double, Purpose::probabilities>(weights.size());
    std::fill(p.begin(), p.end(), 0.0);
    for (std::uint32_t draw = 0; draw < samples; ++draw) p[best(noisy_scores(row, draw))] += 1;
    std::transform(p.begin(), p.end(), weights.begin(), [this](double times) {
      return static_cast<T>(times / static_cast<double>(samples));
    });
  }

  // The density of what the noise made of the scores, y = z + σZ: its slope along z is what trains
  // (Berthet et al. 2020, Prop. 3.1). Nothing can be learnt of the noise's own entropy: it is 0.
  template <typename T>
  RowDraw<T> draw(const Row<T>& row, std::span<const T>) const {
    double value = 0;
    for (std::uint32_t draw = 0; draw < samples; ++draw) {
      for (const std::int32_t key : row.keys) {
        const double z = noise_of(row.random, key, draw);
        value -= std::log(strength) + (noise == Noise::gumbel
                                           ? z + std::exp(-z)
                                           : z * z / 2 + std::log(2 * std::numbers::pi) / 2);
      }
    }
    return {static_cast<T>(value), T{0}};
  }

  template <typename T>
  void backward(const Row<T>& row, std::span<const T>, const RowUpstream<T>& upstream,
                const RowGradient<T>& gradient_of_row) const {
    const auto dz = row_memory<double, Purpose::gradient>(row.scores.size());
    std::fill(dz.begin(), dz.end(), 0.0);
    for (std::uint32_t draw = 0; draw < samples; ++draw) {
      if (draws()) {
        add_score(row, upstream.log_probability, draw, dz);
      } else {
        add_difference(row, upstream.weights, draw, dz);
      }
    }
    std::transform(dz.begin(), dz.end(), gradient_of_row.scores.begin(),
                   [](double value) { return static_cast<T>(value); });
  }

 private:
  static std::size_t best(std::span<const double> scores) {
    return static_cast<std::size_t>(std::max_element(scores.begin(), scores.end()) -
                                    scores.begin());
  }
  double noise_of(const RowRandom& random, std::int32_t key, std::uint32_t draw) const {
    if (noise == Noise::gumbel) return gumbel(random, key, draw);
    if (random.likeliest) return 0;
    // Box and Muller 1958; numbers of their own for the second half.
    const double radius = std::sqrt(-2 * std::log(1 - random.uniform(key, 2 * draw)));
    return radius * std::cos(2 * std::numbers::pi * random.uniform(key, 2 * draw + 1));
  }
  // z + σZ - max(z): a difference that no size of the scores swallows.
  template <typename T>
  std::span<double> noisy_scores(const Row<T>& row, std::uint32_t draw) const {
    const auto noisy = row_memory<double, Purpose::scores>(row.scores.size());
    const T top = largest(row.scores);
    const T shift = std::isfinite(top) ? top : T{0};
    for (std::size_t i = 0; i < noisy.size(); ++i) {
      noisy[i] = (static_cast<double>(row.scores[i]) - shift) +
                 strength * noise_of(row.random, row.keys[i], draw);
    }
    return noisy;
  }
  // (MAP(z + e) - MAP(z + e - λg))/λ with the same noise e; of several choices the mean of this.
  template <typename T>
  void add_difference(const Row<T>& row, std::span<const T> g, std::uint32_t draw,
                      std::span<double> dz) const {
    const auto noisy = noisy_scores(row, draw);
    const double size = 1 / (lambda * static_cast<double>(samples));
    dz[best(noisy)] += size;
    for (std::size_t i = 0; i < noisy.size(); ++i) noisy[i] -= lambda * g[i];
    dz[best(noisy)] -= size;
  }
  template <typename T>
  void add_score(const Row<T>& row, double upstream, std::uint32_t draw,
                 std::span<double> dz) const {
    if (upstream == 0) return;
    for (std::size_t i = 0; i < dz.size(); ++i) {
      const double z = noise_of(row.random, row.keys[i], draw);
      dz[i] += upstream / strength * (noise == Noise::gumbel ? 1 - std::exp(-z) : z);
    }
  }
};

const ListedNormaliser<Perturbed> kListed;

}  // namespace
}  // namespace heed::attention
