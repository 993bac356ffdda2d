// SPDX-License-Identifier: Apache-2.0
// Densities of continuous attention: known answers, quadrature, and the law of their natural
// parameters.
#include "heed/attention/whole/density.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <numbers>

namespace heed::attention {
namespace {

constexpr double kKnown = 1e-9;

nlohmann::json known_density(const char* dimensions) {
  return nlohmann::json::parse(
      std::ifstream(std::filesystem::path(HEED_SOURCE_DIR) /
                    "tests/golden/memory.json"))["continuous_attention"][dimensions];
}

double simpson(double from, double to, const std::function<double(double)>& f) {
  constexpr int kPieces = 20000;
  const double step = (to - from) / kPieces;
  double sum = f(from) + f(to);
  for (int i = 1; i < kPieces; ++i) sum += (i % 2 == 1 ? 4 : 2) * f(from + i * step);
  return sum * step / 3;
}
double function_at(double t, double centre, double variance) {
  return std::exp(-(t - centre) * (t - centre) / (2 * variance)) /
         std::sqrt(2 * std::numbers::pi * variance);
}

// The variance of a parabola of this sigma^2, and how that grows with it.
double variance_of_parabola(double sigma2) {
  return std::pow(1.5 * sigma2, 2.0 / 3) / 5;
}
double slope_of_parabola(double sigma2) {
  return 1 / (5 * std::sqrt(5 * variance_of_parabola(sigma2)));
}
// The covariance of a paraboloid of this Sigma.
Symmetric covariance_of_paraboloid(const Symmetric& sigma) {
  const double share = 1 / (3 * std::sqrt(std::numbers::pi) * std::pow(sigma.determinant(), .25));
  return {share * sigma.xx, share * sigma.xy, share * sigma.yy};
}
Symmetric matrix_from(const nlohmann::json& rows) {
  return {rows[0][0], rows[0][1], rows[1][1]};
}

TEST(Density, OnALineHasTheKnownAnswers) {
  const nlohmann::json known = known_density("1d");
  const double sigma2 = known["sigma2"];
  const LineRead soft =
      LineDensity(Density::softmax, known["mu"], sigma2).read(known["mu_j"], known["sigma_j2"]);
  EXPECT_NEAR(soft.value, known["softmax"], kKnown);
  EXPECT_NEAR(soft.d_mean, known["softmax_d_mu"], kKnown);
  EXPECT_NEAR(soft.d_variance, known["softmax_d_sigma2"], kKnown);
  const LineDensity parabola(Density::sparsemax, known["mu"], variance_of_parabola(sigma2));
  EXPECT_NEAR(parabola.reach(), known["sparsemax_half_width"], kKnown);
  const LineRead sparse = parabola.read(known["mu_j"], known["sigma_j2"]);
  EXPECT_NEAR(sparse.value, known["sparsemax"], kKnown);
  EXPECT_NEAR(sparse.d_mean, known["sparsemax_d_mu"], kKnown);
  EXPECT_NEAR(sparse.d_variance * slope_of_parabola(sigma2), known["sparsemax_d_sigma2"], kKnown);
}

TEST(Density, OnAPlaneHasTheKnownAnswers) {
  const nlohmann::json known = known_density("2d");
  const PlaneDensity::Point mean = known["mu"], centre = known["mu_j"];
  const Symmetric sigma = matrix_from(known["Sigma"]), functions = matrix_from(known["Sigma_j"]);
  const PlaneRead soft = PlaneDensity(Density::softmax, mean, sigma, functions, 64).read(centre);
  EXPECT_NEAR(soft.value, known["softmax"], kKnown);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(soft.d_mean[i], known["softmax_d_mu"][i], kKnown);
  }
  const Symmetric d_soft = matrix_from(known["softmax_d_Sigma"]);
  EXPECT_NEAR(soft.d_covariance.xx, d_soft.xx, kKnown);
  EXPECT_NEAR(soft.d_covariance.xy, 2 * d_soft.xy, kKnown);  // both places move
  EXPECT_NEAR(soft.d_covariance.yy, d_soft.yy, kKnown);

  const Symmetric covariance = covariance_of_paraboloid(sigma);
  const PlaneDensity paraboloid(Density::sparsemax, mean, covariance, functions, 64);
  const PlaneRead sparse = paraboloid.read(centre);
  EXPECT_NEAR(sparse.value, known["sparsemax"], kKnown);
  EXPECT_EQ(paraboloid.value(centre), sparse.value);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(sparse.d_mean[i], known["sparsemax_d_mu"][i], kKnown);
  }
  // Along each entry of Sigma: S = share Sigma, with the share's own slope -Sigma^-1 / 4.
  const Symmetric inverse = sigma.inverse(), d_sparse = matrix_from(known["sparsemax_d_Sigma"]);
  const double share = covariance.xx / sigma.xx;
  const Symmetric& d = sparse.d_covariance;
  const double along = d.xx * sigma.xx + d.xy * sigma.xy + d.yy * sigma.yy;
  EXPECT_NEAR(share * (d.xx - along * inverse.xx / 4), d_sparse.xx, kKnown);
  EXPECT_NEAR(share * (d.xy - along * inverse.xy / 2), 2 * d_sparse.xy, kKnown);
  EXPECT_NEAR(share * (d.yy - along * inverse.yy / 4), d_sparse.yy, kKnown);
}

TEST(Density, AddsUpToOneWithItsOwnMeanAndVariance) {
  for (const Density of : {Density::softmax, Density::sparsemax}) {
    const LineDensity density(of, .4, .03);
    const double reach = std::min(3.0, density.reach());
    const auto moment = [&](int power) {
      return simpson(.4 - reach, .4 + reach,
                     [&](double t) { return density.at(t) * std::pow(t - .4, power); });
    };
    EXPECT_NEAR(moment(0), 1, 1e-9);
    EXPECT_NEAR(moment(1), 0, 1e-9);
    EXPECT_NEAR(moment(2), .03, 1e-9);
    EXPECT_NEAR(density.read(.7, .004).value,
                simpson(.4 - reach, .4 + reach,
                        [&](double t) { return density.at(t) * function_at(t, .7, .004); }),
                1e-9);
  }
}

// In the natural parameters [mu / sigma^2, -1 / (2 sigma^2)] of phi = [t, t^2] the derivatives are
// cov_p(phi, psi) for softmax, and for sparsemax the length of the support times the covariance
// under the even density on it.
TEST(Density, HasTheCovarianceOfItsFamilyForJacobian) {
  const double mean = .45, sigma2 = .015, centre = .6, variance = .006;
  for (const Density of : {Density::softmax, Density::sparsemax}) {
    const bool sparse = of == Density::sparsemax;
    const LineDensity density(of, mean, sparse ? variance_of_parabola(sigma2) : sigma2);
    const double reach = std::min(2.0, density.reach());
    const auto expected = [&](const std::function<double(double)>& f) {
      return simpson(mean - reach, mean + reach,
                     [&](double t) { return f(t) * (sparse ? 1 / (2 * reach) : density.at(t)); });
    };
    const auto psi = [&](double t) { return function_at(t, centre, variance); };
    const double volume = sparse ? 2 * reach : 1;
    const auto jacobian = [&](int power) {
      const auto phi = [power](double t) { return std::pow(t, power); };
      return volume *
             (expected([&](double t) { return phi(t) * psi(t); }) - expected(phi) * expected(psi));
    };
    const LineRead found = density.read(centre, variance);
    const double d_sigma2 = found.d_variance * (sparse ? slope_of_parabola(sigma2) : 1);
    EXPECT_NEAR(sigma2 * found.d_mean, jacobian(1), 1e-8);
    EXPECT_NEAR(2 * mean * sigma2 * found.d_mean + 2 * sigma2 * sigma2 * d_sigma2, jacobian(2),
                1e-8);
  }
}

TEST(Density, IsAnIntegralOverTheEllipse) {
  const PlaneDensity::Point mean{.4, .55}, centre{.5, .7};
  const Symmetric covariance{.02, .008, .01}, functions{.005, .001, .004};
  const double found =
      PlaneDensity(Density::sparsemax, mean, covariance, functions, 64).value(centre);
  // p = (1 - x^T S^-1 x / 6) / (3 pi sqrt|S|): 6 is where it is cut off.
  const Symmetric inverse = covariance.inverse(), narrow = functions.inverse();
  const auto square = [](const Symmetric& a, double x, double y) {
    return a.xx * x * x + 2 * a.xy * x * y + a.yy * y * y;
  };
  constexpr int kSide = 1200;
  double sum = 0;
  for (int i = 0; i < kSide; ++i) {
    for (int j = 0; j < kSide; ++j) {
      const double x = (i + .5) / kSide * 1.2 - .6, y = (j + .5) / kSide * 1.2 - .6;
      const double rest = 1 - square(inverse, x, y) / 6;
      if (rest <= 0) continue;
      const double dx = x + mean[0] - centre[0], dy = y + mean[1] - centre[1];
      sum += rest * std::exp(-square(narrow, dx, dy) / 2);
    }
  }
  sum *= 1.2 * 1.2 / kSide / kSide / (3 * std::numbers::pi * std::sqrt(covariance.determinant())) /
         (2 * std::numbers::pi * std::sqrt(functions.determinant()));
  EXPECT_NEAR(found, sum, 2e-6);
}

// Distinct angles: with both 0 and 2 pi among them it errs by about 1 in 64.
TEST(Density, ConvergesGeometricallyInTheNumberOfAngles) {
  const PlaneDensity::Point mean{.4, .55}, centre{.5, .6};
  const Symmetric covariance{.02, .008, .01};
  const auto at = [&](double variance, int angles) {
    return PlaneDensity(Density::sparsemax, mean, covariance, {variance, 0, variance}, angles)
        .value(centre);
  };
  for (const auto& [variance, least] : {std::pair{.001, 1e-8}, std::pair{.003, 1e-12}}) {
    const double exact = at(variance, 1024);
    EXPECT_NEAR(at(variance, 64) / exact, 1, least);
    EXPECT_GT(std::abs(at(variance, 8) - exact), 100 * std::abs(at(variance, 64) - exact));
  }
}

// The closed forms take differences of numbers near each other there.
TEST(Density, OfAFunctionThatIsAsGoodAsStraightIsItsTaylorSeries) {
  // E psi = psi (1 + ((d/s)^2 - 1) S / (2 s^2)) + O(S^2)
  const double s = .1, d = .05, spread = 1e-6;
  const double psi = function_at(d, 0, s * s), slope = psi / (2 * s * s) * (d * d / (s * s) - 1);
  for (const Density of : {Density::softmax, Density::sparsemax}) {
    const LineRead line = LineDensity(of, d, spread).read(0, s * s);
    EXPECT_NEAR(line.value, psi + slope * spread, 1e-7);
    EXPECT_NEAR(line.d_variance / slope, 1, 1e-3);
    EXPECT_NEAR(line.d_mean / (-psi * d / (s * s)), 1, 1e-3);
    const auto plane = [&](double xx) {
      return PlaneDensity(of, {d, .02}, {xx, 2e-5, 1e-2}, {s * s, 0, s * s}, 64).read({0, 0});
    };
    const double step = 1e-8;
    EXPECT_NEAR(plane(spread).d_covariance.xx,
                (plane(spread + step).value - plane(spread - step).value) / (2 * step), 1e-3);
  }
}

TEST(Density, FarFromAFunctionIsZero) {
  EXPECT_EQ(LineDensity(Density::sparsemax, .1, 1e-4).read(.9, 1e-3).value, 0);
  const Symmetric narrow{1e-4, 0, 1e-4};
  const PlaneRead found =
      PlaneDensity(Density::sparsemax, {.1, .1}, narrow, narrow, 64).read({.9, .9});
  EXPECT_EQ(found.value, 0);
  EXPECT_EQ(found.d_covariance.xy, 0);
}

}  // namespace
}  // namespace heed::attention
