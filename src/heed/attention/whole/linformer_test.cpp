// SPDX-License-Identifier: Apache-2.0
// Linformer: worked numbers, and what it says of memories that are too long.
#include <gtest/gtest.h>

#include <cmath>

#include "heed/attention/attention.h"
#include "heed/nn/module.h"
#include "heed/tensor/testing.h"

namespace heed::attention {
namespace {

using heed::testing::expect_near;
using heed::testing::message_of;
using heed::testing::wavy;

std::unique_ptr<Attention> linformer_of(const std::string& text) {
  Random random(1);
  return make_attention(text, {.query_width = 1, .key_width = 1, .value_width = 1}, random);
}

void set_linformer(Attention& look, const Tensor& e, const Tensor& f) {
  for (const nn::Parameter& parameter : nn::parameters(look)) {
    Tensor values = parameter.variable.value();
    values.assign(parameter.name == "E" ? e : f);
  }
}

TEST(Linformer, GivesTheNumbersThatCanBeComputedByHand) {
  const auto look = linformer_of("linformer(rank=2, length=3)");
  // Mixed keys 1 + 2 and 3, mixed values 10 and 20 + 30; the last token is padding or not there.
  set_linformer(*look, Tensor::of({3, 2}, {1, 0, 1, 0, 0, 1}),
                Tensor::of({3, 2}, {1, 0, 0, 1, 0, 1}));
  const Tensor query = Tensor::of({1, 1, 1, 1}, {1});
  const Tensor keys = Tensor::of({1, 1, 3, 1}, {1, 2, 3});
  const Tensor values = Tensor::of({1, 1, 3, 1}, {10, 20, 30});
  const Attended all = look->attend(query, look->memory(keys, values), {}, {.weights = true});
  EXPECT_NEAR(all.context.item(), 0.5 * 10 + 0.5 * 50, 1e-5);
  expect_near(all.weights.value(), Tensor::of({1, 1, 1, 3}, {0.5, 0.5, 0.5}), 1e-6);

  const auto padded = linformer_of("linformer(rank=2, length=3) | padding");
  set_linformer(*padded, Tensor::of({3, 2}, {1, 0, 1, 0, 0, 1}),
                Tensor::of({3, 2}, {1, 0, 0, 1, 0, 1}));
  const double share = std::exp(3.0) / (std::exp(3.0) + 1);  // mixed keys 3 and 0
  const Attended two = padded->attend(
      query, padded->memory(keys, values, {.lengths = Ids::of({1}, {2})}), {}, {.weights = true});
  EXPECT_NEAR(two.context.item(), share * 10 + (1 - share) * 20, 1e-5);
  EXPECT_EQ(two.weights.value().at({0, 0, 0, 2}), 0);
}

TEST(Linformer, SaysHowLongMemoriesMayBe) {
  const auto look = linformer_of("linformer(rank=2, length=3)");
  const Tensor x = wavy({1, 1, 4, 1});
  EXPECT_EQ(message_of([&] { look->attend(x, look->memory(x, x)); }),
            "linformer: 4 keys; length is 3, set it to the most there will be");
  EXPECT_NE(message_of([] { linformer_of("linformer(rank=0)"); }).find("rank"), std::string::npos);
}

TEST(Linformer, IsNotCausalAndSaysWhatMayBe) {
  const std::string refusal = message_of([] { linformer_of("linformer | causal"); });
  EXPECT_EQ(refusal.find("mechanism: linformer mixes all keys before any query reads them, so that "
                         "all queries see the same ones, and causal hides some; "),
            0u)
      << refusal;
  EXPECT_NE(refusal.find("performer"), std::string::npos) << refusal;
}

}  // namespace
}  // namespace heed::attention
