// SPDX-License-Identifier: Apache-2.0
// Glimpses against known answers, Real being double.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "heed/autograd/glimpse.h"

namespace heed {
namespace {

static_assert(sizeof(Real) == 8, "known answers are compared in double");

nlohmann::json known_answers() {
  return nlohmann::json::parse(
      std::ifstream(std::filesystem::path(HEED_SOURCE_DIR) / "tests/golden/memory.json"));
}

void flatten(const nlohmann::json& part, std::vector<double>& values) {
  if (part.is_number()) return values.push_back(part);
  for (const auto& one : part) flatten(one, values);
}

void expect_values(const Tensor& found, const nlohmann::json& expected) {
  std::vector<double> values;
  flatten(expected, values);
  ASSERT_EQ(static_cast<std::size_t>(found.size()), values.size());
  const std::vector<Real> all = found.values();
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(all[i], values[i], 1e-9) << i;
}

TEST(GlimpseKnownAnswers, HoldForPatchesInsideAndOverTheEdge) {
  const nlohmann::json answers = known_answers()["glimpse"];
  Tensor image({1, 6, 6, 1});
  for (int i = 0; i < 36; ++i) image.mutable_data()[i] = i / 36.;
  const std::vector<std::pair<std::string, std::pair<double, double>>> places = {
      {"(0, 0)", {0, 0}}, {"(-0.5, 0.9)", {-.5, .9}}, {"(1, 1)", {1, 1}}};
  EXPECT_EQ(places.size(), answers["glimpses"].size());
  for (const auto& [name, place] : places) {
    SCOPED_TRACE(name);
    const Variable seen =
        glimpse(Variable(image), Variable(Tensor::of({1, 2}, {place.first, place.second})),
                {.size = answers["g"], .scales = answers["scales"], .factor = answers["factor"]});
    expect_values(seen.value(), answers["glimpses"][name]);
  }
}

TEST(GlimpseKnownAnswers, HoldForTheReadOfDraw) {
  const nlohmann::json answers = known_answers()["draw_read"];
  Tensor image({1, 8, 8, 1});
  for (int i = 0; i < 64; ++i) image.mutable_data()[i] = i % 7 / 7.;
  const Tensor parameters =
      Tensor::of({1, 5}, {answers["g_x"].get<double>(), answers["g_y"].get<double>(),
                          answers["log_sigma2"].get<double>(), answers["log_delta"].get<double>(),
                          answers["log_gamma"].get<double>()});
  const Variable read = draw_read(Variable(image), Variable(parameters), answers["N"]);
  expect_values(read.value(), answers["read"]);
}

}  // namespace
}  // namespace heed
