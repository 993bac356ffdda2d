// SPDX-License-Identifier: Apache-2.0
// Monotonic attention and MoChA against known answers, Real being double.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "heed/attention/whole/monotonic_alignment.h"
#include "heed/autograd/ops.h"
#include "heed/tensor/testing.h"

namespace heed::attention {
namespace {

static_assert(sizeof(Real) == 8, "known answers are compared in double");

using heed::testing::expect_near;

constexpr double kExact = 1e-9;

nlohmann::json known_alignment() {
  return nlohmann::json::parse(std::ifstream(std::filesystem::path(HEED_SOURCE_DIR) /
                                             "tests/golden/memory.json"))["monotonic"];
}

Tensor four_axes(const nlohmann::json& rows) {
  std::vector<Real> values;
  for (const auto& row : rows) values.insert(values.end(), row.begin(), row.end());
  const auto queries = static_cast<std::int64_t>(rows.size());
  Tensor made({1, 1, queries, std::ssize(values) / queries});
  std::ranges::copy(values, made.mutable_data());
  return made;
}

TEST(MonotonicKnownAnswers, HoldForWeightsGradientsAndChunks) {
  const nlohmann::json known = known_alignment();
  const Tensor p = four_axes(known["p"]);
  Tensor energies = p.clone();
  for (std::int64_t i = 0; i < p.size(); ++i) {
    energies.mutable_data()[i] = std::log(p.data()[i] / (1 - p.data()[i]));
  }
  const std::vector<std::int64_t> sees_all(static_cast<std::size_t>(p.size(2)), p.size(3));
  const Variable leaf = Variable::leaf(energies);
  const Variable alpha = weighed_of(monotonic_alignment(leaf, {}, sees_all)).weights;
  expect_near(alpha.value(), four_axes(known["alpha"]), kExact);
  expect_near(chunkwise(alpha, four_axes(known["chunk_energy"]), known["chunk"], sees_all).value(),
              four_axes(known["beta"]), kExact);
  backward(sum(alpha * Variable(four_axes(known["upstream"]))));
  Tensor d_energies = four_axes(known["d_p"]);  // dp/de = p (1 - p)
  for (std::int64_t i = 0; i < p.size(); ++i) {
    d_energies.mutable_data()[i] *= p.data()[i] * (1 - p.data()[i]);
  }
  expect_near(leaf.gradient(), d_energies, kExact);
}

}  // namespace
}  // namespace heed::attention
