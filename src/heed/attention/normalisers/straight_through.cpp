// SPDX-License-Identifier: Apache-2.0
// Straight-through: the likeliest choice, with the gradient of the weights it was made by.
#include <optional>

#include "heed/attention/normalisers/of_normaliser.h"

namespace heed::attention {
namespace {

struct StraightThrough : MadeOfNormaliser {
  enum class Gradient { soft, identity };
  Gradient gradient = Gradient::soft;

  static Card card() {
    return {
        .name = "straight_through",
        .summary =
            "The likeliest choice of another normaliser, learnt as if its weights had been "
            "used.",
        .formula =
            "p = the likeliest y of `of`; of softmax: one-hot of the largest z; gradient J g, J "
            "of the weights of `of`, or g itself (identity)",
        .source = "Bengio, Leonard & Courville 2013",
        .promises = {Promise::sums_to_one, Promise::shift_invariant,
                     Promise::permutation_equivariant, Promise::sparse, Promise::breaks_ties,
                     Promise::surrogate_gradient},
        .examples = {"of=sigmoid", "of=\"entmax(alpha=1.25)\"", "gradient=identity"}};
  }
  void declare(Options& options) {
    options.add("of", of, "the normaliser whose likeliest choice is taken, as it is written");
    options.add("gradient", gradient, {"soft", "identity"},
                "that of the weights, or what arrives as it is");
  }
  std::optional<bool> keeps(Promise promise) const {
    switch (promise) {
      case Promise::sums_to_one:
      case Promise::shift_invariant:
      case Promise::permutation_equivariant:
        return of->keeps(promise);
      case Promise::breaks_ties:
        return of->drawn_as() == DrawnAs::one_key;
      case Promise::in_unit_interval:  // goes without saying where the weights sum to one
        return !of->keeps(Promise::sums_to_one);
      default:
        return std::nullopt;
    }
  }

  template <typename T>
  void forward(const Row<T>& row, std::span<T> weights) const {
    Row<double> wide = row_in_double(row);
    wide.random.likeliest = true;
    const auto p = row_memory<double, Purpose::of_weights>(weights.size());
    const auto z = row_memory<double, Purpose::drawn>(weights.size());
    of->forward(wide, p);
    of->draw_from(wide, p, z);
    std::transform(z.begin(), z.end(), weights.begin(),
                   [](double value) { return static_cast<T>(value); });
  }

  // J g with J at the weights, which are computed again: keeping them would cost a second matrix.
  template <typename T>
  void backward(const Row<T>& row, std::span<const T>, const RowUpstream<T>& upstream,
                const RowGradient<T>& gradient_of_row) const {
    if (gradient == Gradient::identity) {
      std::copy(upstream.weights.begin(), upstream.weights.end(), gradient_of_row.scores.begin());
      return;
    }
    const auto p = row_memory<T, Purpose::of_weights>(row.scores.size());
    of->forward(row, p);
    of->backward(row, p, {.weights = upstream.weights}, gradient_of_row);
  }
};

const ListedNormaliser<StraightThrough> kListed;

}  // namespace
}  // namespace heed::attention
