// SPDX-License-Identifier: Apache-2.0
// Adaptive span: worked weights, keys that are never touched, and what it adds to a loss.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "heed/attention/attention.h"
#include "heed/attention/draws.h"
#include "heed/autograd/ops.h"
#include "heed/nn/module.h"
#include "heed/tensor/testing.h"

namespace heed::attention {
namespace {

using heed::testing::expect_near;
using heed::testing::wavy;

std::unique_ptr<Attention> spanning(const std::string& text, std::int64_t heads = 1) {
  Random random(1);
  return make_attention(
      text,
      {.query_width = 2, .key_width = 2, .value_width = 2, .heads = heads, .key_heads = heads},
      random);
}

TEST(AdaptiveSpan, WeighsTheEndOfASpanLess) {
  // R + z S = 2 + 2: distances 0 to 2 weigh 1, 3 a half, 4 and more nothing.
  const auto look = spanning("adaptive_span(longest=4, ramp=2, start=0.5) | causal");
  const Tensor query = Tensor::zeros({1, 1, 1, 2}), keys = wavy({1, 1, 6, 2}),
               values = wavy({1, 1, 6, 2}, 1);
  const Attended found = look->attend(query, look->memory(keys, values), {},
                                      {.given = {.first_query = 5}, .weights = true});
  const Real one = Real(1 / 3.5);
  expect_near(found.weights.value(), Tensor::of({1, 1, 1, 6}, {0, 0, one / 2, one, one, one}),
              1e-6);
}

TEST(AdaptiveSpan, LooksBothWaysWhereItIsNotCausal) {
  const auto look = spanning("adaptive_span(longest=4, ramp=1, start=0.25)");  // distances 0 and 1
  const Tensor zero = Tensor::zeros({1, 1, 4, 2});
  const Tensor weights =
      look->attend(zero, look->memory(zero, zero), {}, {.weights = true}).weights.value();
  expect_near(weights.slice(2, 1, 2),
              Tensor::of({1, 1, 1, 4}, {Real(1) / 3, Real(1) / 3, Real(1) / 3, 0}), 1e-6);
}

TEST(AdaptiveSpan, TouchesNoKeyBeyondTheSpan) {
  const auto look = spanning("adaptive_span(longest=100, ramp=2, start=0.03) | causal");
  Tensor keys = wavy({1, 1, 200, 2}).clone();
  for (std::int64_t j = 0; j < 150; ++j) {
    keys.mutable_data()[2 * j] = std::numeric_limits<Real>::quiet_NaN();
  }
  const Tensor values = wavy({1, 1, 200, 2}, 1);
  const Tensor found = look->attend(wavy({1, 1, 40, 2}), look->memory(keys, values), {},
                                    {.given = {.first_query = 160}})
                           .context.value();
  for (const Real x : found.values()) EXPECT_TRUE(std::isfinite(x));
}

TEST(AdaptiveSpan, IsWhatEachTokenSays) {
  const auto look = spanning("adaptive_span(longest=8, ramp=1, start=0.5, of=token) | causal");
  for (const nn::Parameter& parameter : nn::parameters(*look)) {
    if (parameter.name != "v") continue;
    Variable(parameter.variable).mutable_value().assign(Tensor::of({2}, {1, 0}));
  }
  // z = sigmoid(v q): an eighth, a half and seven eighths of the longest span.
  const Real far = std::log(Real(7));
  const Tensor query = Tensor::of({1, 1, 3, 2}, {-far, 0, 0, 0, far, 0});
  const Tensor keys = Tensor::zeros({1, 1, 10, 2}), values = wavy({1, 1, 10, 2}, 1);
  const Tensor weights = look->attend(query, look->memory(keys, values), {},
                                      {.given = {.first_query = 7}, .weights = true})
                             .weights.value();
  const std::int64_t seen[] = {2, 5, 8};  // distances below R + z S; 0 to 1, 4 and 7
  for (std::int64_t q = 0; q < 3; ++q) {
    for (std::int64_t k = 0; k < 10; ++k) {
      const bool sees = k <= 7 + q && k > 7 + q - seen[q];
      EXPECT_NEAR(weights.at({0, 0, q, k}), sees ? 1.0 / static_cast<double>(seen[q]) : 0, 1e-4)
          << q << " " << k;
    }
  }
}

TEST(AdaptiveSpan, AddsItsMeanSpanToTheLossInTraining) {
  const auto look = spanning("adaptive_span(longest=40, ramp=2, start=0.25, loss=0.1)", 2);
  const Tensor x = wavy({1, 2, 5, 2});
  Random noise(1);
  Draws draws;
  look->attend(x, look->memory(x, x), {}, {.noise = &noise, .watch = &draws});
  ASSERT_TRUE(draws.penalty().defined());
  EXPECT_NEAR(draws.penalty().item(), 0.1 * 40 * 0.25, 1e-5);
  backward(draws.penalty());
  for (const Real slope : nn::parameters(*look)[0].variable.gradient().values()) {
    EXPECT_NEAR(slope, 0.1 * 40 * 0.25 * 0.75 / 2, 1e-5);  // of sigmoid, a head of two
  }
  Draws reading;
  look->attend(x, look->memory(x, x), {}, {.watch = &reading});
  EXPECT_FALSE(reading.penalty().defined());
}

}  // namespace
}  // namespace heed::attention
