// SPDX-License-Identifier: Apache-2.0
// LIME: a linear model of which words are there, fitted to the output of copies that lack some.
//
// A copy with k of T words is at distance d = 1 - sqrt(k/T) (cosine) and counts exp(-d²/(2 w²)).
// The fit is ridge regression whose intercept is free.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "heed/base/cholesky.h"
#include "heed/base/random.h"
#include "heed/explain/explainer.h"

namespace heed::explain {
namespace {

struct Lime {
  std::int64_t samples = 1000;
  double width = .25;
  double ridge = .001;
  Removal removal = Removal::erase;
  std::uint64_t seed = 1;

  static ExplainerCard card() {
    return {.name = "lime",
            .summary = "a linear model of the words, fitted near the text",
            .formula = "argmin over w of sum of exp(-d²/2w²) (y(x_k) - w·k - b)² + r |w|²",
            .source = "Ribeiro 2016",
            .promises = {Promise::random}};
  }
  void declare(Options& options) {
    options.add("samples", samples, "copies of the text that lack some words").range(2, 1'000'000);
    options.add("width", width, "of the neighbourhood in which copies count").above(0);
    options.add("ridge", ridge, "how much large shares cost").above(0);
    options.add("removal", removal, removal_names(), "what becomes of words that are taken away");
    options.add("seed", seed, "of the copies");
  }

  // The whole text, then copies that lack 1 to T - 1 words, any number of them as likely.
  std::vector<Kept> copies(std::size_t size) const {
    Random random(seed);
    std::vector<std::size_t> order(size);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::vector<Kept> all(static_cast<std::size_t>(samples), Kept(size, true));
    for (std::size_t i = 1; i < all.size(); ++i) {
      random.shuffle(order);
      const std::size_t lacking = 1 + random.integer(size - 1);
      for (std::size_t k = 0; k < lacking; ++k) all[i][order[k]] = false;
    }
    return all;
  }

  Explanation explain(const Subject& subject) const {
    const std::size_t size = subject.size();
    if (size == 1) return {.undefined = "the text is one word: there is no other copy of it"};
    const std::vector<Kept> all = copies(size);
    const std::vector<double> outputs = subject.outputs(all, removal);
    std::vector<double> weights;
    double total = 0, mean_output = 0;
    std::vector<double> mean(size, 0);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto there = static_cast<double>(std::count(all[i].begin(), all[i].end(), true));
      const double distance = 1 - std::sqrt(there / static_cast<double>(size));
      weights.push_back(std::exp(-distance * distance / (2 * width * width)));
      total += weights[i];
      mean_output += weights[i] * outputs[i];
      for (std::size_t t = 0; t < size; ++t) mean[t] += all[i][t] ? weights[i] : 0;
    }
    mean_output /= total;
    for (double& one : mean) one /= total;

    std::vector<double> squares(size * size, 0), products(size, 0), apart(size);
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (std::size_t t = 0; t < size; ++t) apart[t] = (all[i][t] ? 1 : 0) - mean[t];
      for (std::size_t t = 0; t < size; ++t) {
        products[t] += weights[i] * apart[t] * (outputs[i] - mean_output);
        for (std::size_t s = 0; s <= t; ++s) {
          squares[t * size + s] += weights[i] * apart[t] * apart[s];
        }
      }
    }
    for (std::size_t t = 0; t < size; ++t) squares[t * size + t] += ridge;
    solve_positive(squares, size, products, 1);
    return {.shares = products};
  }
};

const ListedExplainer<Lime> kListed;

}  // namespace
}  // namespace heed::explain
