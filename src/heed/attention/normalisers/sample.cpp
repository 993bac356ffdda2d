// SPDX-License-Identifier: Apache-2.0
// Sample: a draw in the place of weights, learnt by REINFORCE or straight through.
#include <optional>

#include "heed/attention/normalisers/of_normaliser.h"

namespace heed::attention {
namespace {

// The gradient of the expected loss E[L(z)] is E[(L(z) - b) d log p(z)], b a baseline: a loss that
// contains (L(z) - b) log p(z), and the entropy for exploration, trains it (training/drawn_loss.h).
// Straight through, the weights pass on what arrives for the draw: biased, but no loss is needed.
struct Sample : MadeOfNormaliser {
  enum class Gradient { score, straight_through };
  Gradient gradient = Gradient::score;

  static Card card() {
    return {.name = "sample",
            .summary =
                "A draw: one key by its weight, or each key by its own; its log-probability and "
                "the entropy are for REINFORCE.",
            .formula =
                "p = y ~ P with the weights of `of` as its mean; of softmax: one-hot of k, d log "
                "P(k) = 1_k - softmax(z)",
            .source = "Williams 1992; Xu et al. 2015",
            .promises = {Promise::sums_to_one, Promise::shift_invariant,
                         Promise::symmetric_jacobian, Promise::sparse, Promise::random},
            .examples = {"of=sparsemax", "of=sigmoid", "of=\"entmax(alpha=1.25)\"",
                         "gradient=straight-through"}};
  }
  void declare(Options& options) {
    options.add("of", of, "the normaliser whose weights are drawn from, as it is written");
    options.add("gradient", gradient, {"score", "straight-through"},
                "by the log-probability in a loss, or as that of the weights");
  }
  std::optional<bool> keeps(Promise promise) const {
    switch (promise) {
      case Promise::sums_to_one:
      case Promise::shift_invariant:
        return of->keeps(promise);
      case Promise::symmetric_jacobian:
        return draws();
      case Promise::surrogate_gradient:
        return !draws();
      case Promise::in_unit_interval:  // goes without saying where the weights sum to one
        return !of->keeps(Promise::sums_to_one);
      default:
        return std::nullopt;
    }
  }
  // Straight through, a log-probability in the loss would count what the weights pass on twice.
  bool draws() const { return gradient == Gradient::score; }

  // A gate's weight is its chance, whatever stands beside it.
  std::optional<OpenChance> open_chance(double score) const {
    if (of->drawn_as() != DrawnAs::gates) return std::nullopt;
    const std::int32_t key = 0;
    const Row<double> row{.scores = {&score, 1}, .keys = {&key, 1}};
    OpenChance chance;
    of->forward(row, {&chance.value, 1});
    const double one = 1;
    of->backward(row, {&chance.value, 1}, {.weights = {&one, 1}}, {.scores = {&chance.slope, 1}});
    return chance;
  }

  template <typename T>
  void forward(const Row<T>& row, std::span<T> weights) const {
    const Row<double> wide = row_in_double(row);
    const auto z = row_memory<double, Purpose::drawn>(weights.size());
    of->draw_from(wide, weights_of(wide), z);
    std::transform(z.begin(), z.end(), weights.begin(),
                   [](double value) { return static_cast<T>(value); });
  }

  template <typename T>
  RowDraw<T> draw(const Row<T>& row, std::span<const T> weights) const {
    const Row<double> wide = row_in_double(row);
    const RowDraw<double> value =
        of->draw_value(wide, weights_of(wide), in_double<Purpose::drawn>(weights));
    return {static_cast<T>(value.log_probability), static_cast<T>(value.entropy)};
  }

  template <typename T>
  void backward(const Row<T>& row, std::span<const T> weights, const RowUpstream<T>& upstream,
                const RowGradient<T>& gradient_of_row) const {
    const Row<double> wide = row_in_double(row);
    const auto p = weights_of(wide);
    const RowGradient<double> found = gradient_in_double(gradient_of_row);
    if (gradient == Gradient::straight_through) {
      of->backward(wide, p, {.weights = in_double<Purpose::of_upstream>(upstream.weights)}, found);
    } else if (upstream.log_probability != 0 || upstream.entropy != 0) {
      of->draw_backward(wide, p, in_double<Purpose::drawn>(weights),
                        {upstream.log_probability, upstream.entropy}, found);
    }
    hand_over(found, gradient_of_row);
  }

 private:
  std::span<const double> weights_of(const Row<double>& row) const {
    const auto p = row_memory<double, Purpose::of_weights>(row.scores.size());
    of->forward(row, p);
    return p;
  }
};

const ListedNormaliser<Sample> kListed;

}  // namespace
}  // namespace heed::attention
