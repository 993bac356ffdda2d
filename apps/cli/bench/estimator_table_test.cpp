// SPDX-License-Identifier: Apache-2.0
// The table of estimators against the golden file: all that is enumerated to the last digits, what
// is sampled within its error.
#include "cli/bench/estimator_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "heed/base/error.h"

namespace heed::cli {
namespace {

const nlohmann::json& golden_row(const std::string& name) {
  static const nlohmann::json json = nlohmann::json::parse(
      std::ifstream(std::filesystem::path(HEED_SOURCE_DIR) / "tests/golden/structured.json"));
  for (const auto& row : json.at("estimators").at("rows")) {
    if (row.at("name") == name) return row;
  }
  throw InternalError("no golden estimator \"{}\"", name);
}

const Estimator& named(const std::vector<Estimator>& all, const std::string& name) {
  const auto found =
      std::ranges::find_if(all, [&](const Estimator& one) { return one.name.starts_with(name); });
  if (found == all.end()) throw InternalError("no estimator \"{}\"", name);
  return *found;
}

TEST(Estimators, AreTheGoldenOnesWhereAllDrawsAreListed) {
  const auto all = measure_estimators({.draws = 10});
  for (const auto& [mine, golden] :
       {std::pair{"score function, b = 0", "reinforce b=0"},
        {"score function, b = mean loss", "reinforce b=E"},
        {"score function, b = 0.8761", "reinforce b=optimal 0.8761"},
        {"score function, self-critical", "reinforce self-critical"},
        {"leave-one-out, m = 2", "rloo m=2"},
        {"leave-one-out, m = 4", "rloo m=4"},
        {"straight-through, a draw", "straight-through sample (softmax)"},
        {"straight-through, the best key", "st argmax softmax"},
        {"straight-through, identity", "st argmax identity"},
        {"SPIGOT, η = 0.5", "spigot eta=0.5 /eta"},
        {"SPIGOT, η = 1", "spigot eta=1 /eta"}}) {
    SCOPED_TRACE(mine);
    const Estimator& found = named(all, mine);
    const auto& expected = golden_row(golden);
    const auto mean = expected.at("mean").get<std::vector<double>>();
    for (std::size_t i = 0; i < mean.size(); ++i) EXPECT_NEAR(found.mean[i], mean[i], 1e-10);
    EXPECT_NEAR(found.variance, expected.at("variance").get<double>(), 1e-8);
    EXPECT_NEAR(found.bias, expected.at("relative_bias").get<double>(), 1e-5);
    EXPECT_NEAR(found.cosine, expected.at("cosine").get<double>(), 1e-5);
    EXPECT_EQ(found.losses, expected.at("loss_calls").get<int>());
    EXPECT_EQ(found.error, 0);
  }
}

TEST(Estimators, AreExactAsSumsOverTheSupport) {
  const auto all = measure_estimators({.draws = 10});
  for (const auto& [mine, golden, losses] :
       {std::tuple{"sum, softmax, mean loss 0.9294", "sum over all keys", 6},
        {"sum, sparsemax, mean loss 1.0583", "sparse marginal (sparsemax)", 3},
        {"sum, entmax(alpha=1.5), mean loss 1.0159", "sparse marginal (entmax1.5)", 3}}) {
    const Estimator& found = named(all, mine);
    const auto mean = golden_row(golden).at("mean").get<std::vector<double>>();
    for (std::size_t i = 0; i < mean.size(); ++i) EXPECT_NEAR(found.mean[i], mean[i], 1e-10);
    EXPECT_LT(found.bias, 1e-6) << "against differences of its own objective";
    EXPECT_EQ(found.losses, losses);
  }
}

TEST(Estimators, AreTheGoldenOnesWithinTheirErrorWhereTheyAreSampled) {
  const auto all = measure_estimators({.draws = 60000});
  for (const auto& [mine, golden] :
       {std::pair{"Gumbel-softmax, soft, T = 0.5", "gumbel softmax T=0.5"},
        {"Gumbel-softmax, hard, T = 1", "straight-through gumbel T=1"},
        {"perturbed, b = mean loss", "perturbed (gumbel) b=E"},
        {"I-MLE, λ = 1", "imle gumbel lambda=1"}}) {
    SCOPED_TRACE(mine);
    const Estimator& found = named(all, mine);
    const auto& expected = golden_row(golden);
    const double size = 0.1274;  // of the exact gradient
    const double error = 5 * (found.error * size + expected.at("mc_error").get<double>());
    const auto mean = expected.at("mean").get<std::vector<double>>();
    for (std::size_t i = 0; i < mean.size(); ++i) EXPECT_NEAR(found.mean[i], mean[i], error);
    const double variance = expected.at("variance").get<double>();
    EXPECT_NEAR(found.variance, variance, 0.05 * variance);
  }
}

TEST(Estimators, AreDrawnAsBars) {
  const std::string svg = estimators_svg(measure_estimators({.draws = 10}));
  EXPECT_NE(svg.find("leave-one-out, m = 4"), std::string::npos);
  EXPECT_THROW(measure_estimators({.draws = 1}), UsageError);
}

}  // namespace
}  // namespace heed::cli
