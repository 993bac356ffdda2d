// SPDX-License-Identifier: Apache-2.0
// The slope of entmax along alpha against golden numbers and differences of the weights, at the
// corners: alpha exactly 1, just above it, 2 and beyond.
#include <fmt/format.h>

#include "heed/attention/testing.h"
#include "heed/kernels/attention/sparse_rows.h"

namespace heed::attention {
namespace {

using Numbers = std::vector<double>;

Numbers weights_at(double alpha, const Numbers& scores) {
  Numbers p(scores.size());
  kernels::entmax(alpha, scores.data(), p.data(), 1, p.size());
  return p;
}

double slope_at(double alpha, const Numbers& scores, const Numbers& g) {
  const std::vector<double> p = weights_at(alpha, scores);
  return kernels::entmax_alpha_gradient(alpha, p.data(), g.data(), p.size());
}

// Five points: an error of the fourth order in the step. Below 1 the kernel is the same function.
double difference_at(double alpha, const Numbers& scores, const Numbers& g) {
  const double step = 2e-4;
  const auto at = [&](double moved) {
    return std::inner_product(g.begin(), g.end(), weights_at(alpha + moved, scores).begin(), 0.0);
  };
  return (8 * (at(step) - at(-step)) - (at(2 * step) - at(-2 * step))) / (12 * step);
}

TEST(EntmaxAlpha, AgreesWithTheGoldenNumbers) {
  const auto x = golden().at("x").get<Numbers>();
  const auto g = golden().at("g").get<Numbers>();
  EXPECT_NEAR(slope_at(1, x, g), golden().at("entmax_1_dalpha").get<double>(), 1e-9);
  for (const double alpha : {1.25, 1.5, 1.75, 2.0, 2.5}) {
    const double expected = golden().at(fmt::format("entmax_{}", alpha)).at("dalpha");
    EXPECT_NEAR(slope_at(alpha, x, g), expected, 1e-9) << alpha;
  }
}

TEST(EntmaxAlpha, IsTheSlopeOfTheWeightsAtEveryCorner) {
  const auto x = golden().at("x").get<Numbers>();
  const auto g = golden().at("g").get<Numbers>();
  for (const auto& scores : {x, Numbers{-1, 0, 0.5, 0.2, -0.4, 0.1}}) {
    for (const double alpha : {1.0, 1 + 1e-7, 1.0001, 1.5, 2.0, 2.5, 4.0}) {
      const double expected = difference_at(alpha, scores, g);
      EXPECT_NEAR(slope_at(alpha, scores, g), expected, 1e-6 * std::abs(expected)) << alpha;
    }
  }
}

TEST(EntmaxAlpha, IsSmoothThroughOne) {
  const auto x = golden().at("x").get<Numbers>();
  const auto g = golden().at("g").get<Numbers>();
  const double expected = slope_at(1, x, g);
  for (const double above : {1e-15, 1e-12, 1e-9, 1e-7}) {
    EXPECT_NEAR(slope_at(1 + above, x, g), expected, 1e-6) << above;
  }
}

TEST(EntmaxAlpha, GivesTheWorkedExample) {
  EXPECT_NEAR(slope_at(1.33, {-1, 0, 0.5}, {1, 0, 0}), -0.2562, 5e-5);
}

TEST(EntmaxAlpha, IsZeroWhereOneKeyHasAllTheWeight) {
  EXPECT_EQ(slope_at(1.5, {9, 0, 0}, {1, 2, 3}), 0);
  EXPECT_EQ(slope_at(1, {4}, {2}), 0);
}

TEST(EntmaxAlpha, AgreesInFloat) {
  const std::vector<float> p = {0.25f, 0.75f, 0}, g = {1, -2, 5};
  const Numbers wide_p(p.begin(), p.end()), wide_g(g.begin(), g.end());
  EXPECT_EQ(kernels::entmax_alpha_gradient(1.5, p.data(), g.data(), p.size()),
            kernels::entmax_alpha_gradient(1.5, wide_p.data(), wide_g.data(), wide_p.size()));
}

}  // namespace
}  // namespace heed::attention
