// SPDX-License-Identifier: Apache-2.0
// Smoothed gradient: the mean gradient of copies whose vectors are noisy, since one gradient says
// little of a function that is bent at every step.
#include <algorithm>

#include "heed/base/random.h"
#include "heed/explain/explainer.h"
#include "heed/explain/vectors.h"

namespace heed::explain {
namespace {

struct SmoothGradient {
  std::int64_t samples = 50;
  double noise = .1;
  bool times_input = false;
  std::uint64_t seed = 1;

  static ExplainerCard card() {
    return {.name = "smooth_gradient",
            .summary = "the mean gradient of copies with noisy vectors",
            .formula = "|mean over n of dy/de_t(e + n)|, n ~ N(0, noise (max e - min e))",
            .source = "Smilkov 2017",
            .promises = {Promise::unseen, Promise::unshifted, Promise::random},
            .need = Need::gradients};
  }
  void declare(Options& options) {
    options.add("samples", samples, "noisy copies").range(1, 1'000'000);
    options.add("noise", noise, "its deviation, in shares of what the vectors' numbers span")
        .range(0, 10);
    options.add("times-input", times_input, "the product with the word's vector, which has a sign");
    options.add("seed", seed, "of the noise");
  }
  Explanation explain(const Subject& subject) const {
    const Vectors whole = subject.vectors();
    double low = 0, high = 0;
    bool any = false;
    for (const std::vector<double>& one : whole) {
      for (const double number : one) {
        low = any ? std::min(low, number) : number;
        high = any ? std::max(high, number) : number;
        any = true;
      }
    }
    Random random(seed);
    Vectors mean = scaled(whole, 0);
    std::vector<Vectors> some;
    for (std::int64_t i = 0; i < samples; ++i) {
      Vectors& copy = some.emplace_back(whole);
      for (std::vector<double>& one : copy) {
        for (double& number : one) number += noise * (high - low) * random.normal<double>();
      }
      if (i + 1 < samples && some.size() < kCopiesAtOnce) continue;
      for (const Vectors& gradient : subject.gradients_at(some)) {
        for (std::size_t t = 0; t < mean.size(); ++t) {
          for (std::size_t k = 0; k < mean[t].size(); ++k) {
            mean[t][k] += gradient[t][k] / static_cast<double>(samples);
          }
        }
      }
      some.clear();
    }
    return {.shares = times_input ? products(mean, whole) : lengths(mean)};
  }
};

const ListedExplainer<SmoothGradient> kListed;

}  // namespace
}  // namespace heed::explain
