// SPDX-License-Identifier: Apache-2.0
// Shapley values: what a word adds to the words before it, averaged over all orders of the words.
//
// Of few words exactly, from the output of every subset; else from drawn orders, each of which adds
// up to the same total, with the standard error of the mean.
#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "heed/base/random.h"
#include "heed/explain/explainer.h"

namespace heed::explain {
namespace {

struct Shapley {
  std::int64_t exact = 12;
  std::int64_t samples = 100;
  Removal removal = Removal::erase;
  std::uint64_t seed = 1;

  static ExplainerCard card() {
    return {.name = "shapley",
            .summary = "what a word adds to those before it, on average over all orders",
            .formula = "mean over orders of y(before t, t) - y(before t)",
            .source = "Shapley 1953, Lundberg & Lee 2017",
            .promises = {Promise::complete, Promise::effects, Promise::unseen, Promise::unshifted,
                         Promise::exact_linear, Promise::random}};
  }
  void declare(Options& options) {
    options.add("exact", exact, "texts of so many words are explained by all their subsets")
        .range(0, 16);
    options.add("samples", samples, "orders that are drawn for longer ones").range(2, 1'000'000);
    options.add("removal", removal, removal_names(), "what becomes of words that are taken away");
    options.add("seed", seed, "of the orders");
  }

  Explanation explain(const Subject& subject) const {
    return subject.size() <= static_cast<std::size_t>(exact) ? by_subsets(subject)
                                                             : by_orders(subject);
  }

 private:
  // A word joins a subset of s others in s! (T - s - 1)! of T! orders.
  Explanation by_subsets(const Subject& subject) const {
    const std::size_t size = subject.size();
    std::vector<Kept> copies;
    for (unsigned subset = 0; subset < 1U << size; ++subset) {
      Kept& copy = copies.emplace_back(size);
      for (std::size_t t = 0; t < size; ++t) copy[t] = (subset >> t & 1U) != 0;
    }
    const std::vector<double> outputs = subject.outputs(copies, removal);
    const auto factorial = [](std::size_t n) { return std::tgamma(static_cast<double>(n) + 1); };
    Explanation found{.shares = std::vector<double>(size, 0)};
    for (unsigned subset = 0; subset < 1U << size; ++subset) {
      const auto others = static_cast<std::size_t>(std::popcount(subset));
      if (others == size) continue;
      const double weight = factorial(others) * factorial(size - others - 1) / factorial(size);
      for (std::size_t t = 0; t < size; ++t) {
        if ((subset >> t & 1U) != 0) continue;
        found.shares[t] += weight * (outputs[subset | 1U << t] - outputs[subset]);
      }
    }
    return found;
  }

  Explanation by_orders(const Subject& subject) const {
    const std::size_t size = subject.size();
    Random random(seed);
    std::vector<std::size_t> order(size);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::vector<double> sums(size, 0), squares(size, 0);
    for (std::int64_t i = 0; i < samples; ++i) {
      random.shuffle(order);
      std::vector<Kept> copies = {Kept(size, false)};
      for (const std::size_t t : order) {
        copies.push_back(copies.back());
        copies.back()[t] = true;
      }
      const std::vector<double> outputs = subject.outputs(copies, removal);
      for (std::size_t k = 0; k < size; ++k) {
        const double added = outputs[k + 1] - outputs[k];
        sums[order[k]] += added;
        squares[order[k]] += added * added;
      }
    }
    const auto count = static_cast<double>(samples);
    Explanation found;
    for (std::size_t t = 0; t < size; ++t) {
      const double mean = sums[t] / count;
      const double variance = std::max(squares[t] / count - mean * mean, 0.) * count / (count - 1);
      found.shares.push_back(mean);
      found.errors.push_back(std::sqrt(variance / count));
    }
    return found;
  }
};

const ListedExplainer<Shapley> kListed;

}  // namespace
}  // namespace heed::explain
