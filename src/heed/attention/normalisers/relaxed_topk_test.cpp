// SPDX-License-Identifier: Apache-2.0
// The relaxed choice of k keys: golden values, exact gradients, and its limits.
#include "heed/attention/normalisers/relaxed_topk.h"

#include <gtest/gtest.h>

#include "heed/attention/testing.h"

namespace heed::attention {
namespace {

std::vector<double> chosen(const RelaxedTopk& options, std::vector<double> scores) {
  const std::size_t n = scores.size();
  std::vector<double> rounds(options.k * n), p(n, 0.0);
  relaxed_topk(options, scores, rounds);
  for (std::size_t i = 0; i < rounds.size(); ++i) p[i % n] += rounds[i];
  return p;
}

std::vector<double> gradient_through(const RelaxedTopk& options, std::vector<double> scores,
                                     const std::vector<double>& g) {
  std::vector<double> rounds(options.k * scores.size()), dz(scores.size());
  relaxed_topk(options, scores, rounds);
  relaxed_topk_backward(options, rounds, g, dz);
  return dz;
}

TEST(RelaxedTopk, HasTheGoldenValuesAndGradients) {
  const auto& golden = structured_golden();
  const auto x = golden.at("x").get<std::vector<double>>();
  const auto g = golden.at("g").get<std::vector<double>>();
  const auto& two = golden.at("relaxed_topk_2");
  const auto numbers = [&](const char* name) { return two.at(name).get<std::vector<double>>(); };
  expect_all_near(chosen({2, 1}, x), numbers("T1"), 1e-12);
  expect_all_near(chosen({2, 0.5}, x), numbers("T0.5"), 1e-12);
  expect_all_near(gradient_through({2, 1}, x, g), numbers("vjp_T1"), 1e-11);
  expect_all_near(gradient_through({2, 0.5}, x, g), numbers("vjp_T0.5"), 1e-11);
}

TEST(RelaxedTopk, OfOneKeyIsSoftmax) {
  const std::vector<double> x = {0.5, -1, 2, 1.6}, g = {1, 2, -1, 0.3};
  const auto soft = normaliser("softmax", {{"temperature", "0.7"}});
  expect_all_near(chosen({1, 0.7}, x), weights_of(*soft, x), 1e-15);
  expect_all_near(gradient_through({1, 0.7}, x, g), gradient_of(*soft, x, g), 1e-15);
}

TEST(RelaxedTopk, GradientIsThatOfFiniteDifferencesForAnyK) {
  std::vector<double> x = {0.5, -1, 2, 1.6, 0, 1.5, -0.3};
  const std::vector<double> g = {0.3, -0.7, 1.1, -0.2, 0.9, 0.4, 0.1};
  for (std::size_t k = 1; k < 7; ++k) {
    const RelaxedTopk options{k, 0.8};
    const auto dz = gradient_through(options, x, g);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double before = x[i], step = 1e-6;
      const auto objective = [&](double moved) {
        x[i] = moved;
        const auto p = chosen(options, x);
        return std::inner_product(p.begin(), p.end(), g.begin(), 0.0);
      };
      EXPECT_NEAR(dz[i], (objective(before + step) - objective(before - step)) / (2 * step), 1e-8);
      x[i] = before;
    }
  }
}

// The nearer to 0 the temperature, the nearer to the k largest; 1 - a of the first is then lost to
// rounding unless it is what the others have.
TEST(RelaxedTopk, BecomesTheTopKWhenCold) {
  const std::vector<double> x = {0.5, -1, 2, 1.6, 0, 1.5}, g = {0.3, -0.7, 1.1, -0.2, 0.9, 0.4};
  for (const double temperature : {0.02, 0.002, 1e-5}) {
    expect_all_near(chosen({2, temperature}, x), {0, 0, 1, 1, 0, 0}, 0.01);
    for (const double slope : gradient_through({2, temperature}, x, g)) {
      EXPECT_TRUE(std::isfinite(slope));
    }
  }
}

// After the first round the first key has e^-30 left, as the second has from the start: 1 - a would
// have four digits of it.
TEST(RelaxedTopk, KeepsTheDigitsOfWhatARoundLeaves) {
  expect_all_near(chosen({2, 1}, {0, -30}), {1.5, 0.5}, 1e-10);
}

}  // namespace
}  // namespace heed::attention
