// SPDX-License-Identifier: Apache-2.0
// CTC against known answers, Real being double: losses, gradients and posteriors.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "heed/autograd/ctc.h"
#include "heed/tensor/testing.h"

namespace heed {
namespace {

static_assert(sizeof(Real) == 8, "known answers are compared in double");

using heed::testing::expect_near;

constexpr double kExact = 1e-9;

Tensor rows_as_matrix(const nlohmann::json& rows) {
  std::vector<Real> values;
  for (const auto& row : rows) values.insert(values.end(), row.begin(), row.end());
  const auto count = static_cast<std::int64_t>(rows.size());
  Tensor made({count, std::ssize(values) / count});
  std::ranges::copy(values, made.mutable_data());
  return made;
}

TEST(CtcKnownAnswers, HoldForLossesGradientsAndPosteriors) {
  const nlohmann::json answers = nlohmann::json::parse(
      std::ifstream(std::filesystem::path(HEED_SOURCE_DIR) / "tests/golden/memory.json"))["ctc"];
  int compared = 0;
  for (const auto& [name, one] : answers.items()) {
    if (!one.contains("logits")) continue;
    SCOPED_TRACE(name);
    ++compared;
    const Tensor logits = rows_as_matrix(one["logits"]);
    const Variable leaf = Variable::leaf(logits.reshape({1, logits.size(0), logits.size(1)}));
    const std::vector<std::int32_t> target = one["target"];
    const auto count = static_cast<std::int32_t>(target.size());
    const Variable loss = ctc_loss(leaf, {.labels = Ids::of({1, count}, target),
                                          .lengths = Ids::of({1}, {count}),
                                          .blank = one["blank"]});
    if (one["loss"].is_string()) {
      EXPECT_TRUE(std::isinf(loss.item()));
    } else {
      EXPECT_NEAR(loss.item(), one["loss"].get<double>(), kExact);
    }
    backward(loss);
    expect_near(leaf.gradient().reshape(logits.shape()), rows_as_matrix(one["gradient"]), kExact);
    if (one["posterior_of_extended_label"].is_null()) continue;
    expect_near(ctc_posterior(logits, Ids::of({count}, target), one["blank"]),
                rows_as_matrix(one["posterior_of_extended_label"]), kExact);
  }
  EXPECT_EQ(compared, 5);
}

}  // namespace
}  // namespace heed
