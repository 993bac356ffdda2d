// SPDX-License-Identifier: Apache-2.0
// Longformer beside the composition that it is before its own projections have learnt anything.
#include <gtest/gtest.h>

#include <string>

#include "heed/attention/attention.h"
#include "heed/nn/module.h"
#include "heed/tensor/testing.h"

namespace heed::attention {
namespace {

using heed::testing::expect_near;
using heed::testing::message_of;
using heed::testing::wavy;

constexpr std::int64_t kLongTokens = 150;

std::unique_ptr<Attention> longformer_of(const std::string& text) {
  Random random(1);
  return make_attention(
      text, {.query_width = 4, .key_width = 4, .value_width = 3, .heads = 2, .key_heads = 2},
      random);
}

Tensor longformer_context(const Attention& look) {
  return look
      .attend(wavy({2, 2, kLongTokens, 4}),
              look.memory(wavy({2, 2, kLongTokens, 4}, 1), wavy({2, 2, kLongTokens, 3}, 2)))
      .context.value();
}

TEST(Longformer, IsWindowsAndGlobalsBeforeItHasLearntOtherProjections) {
  const std::pair<const char*, const char*> same[] = {
      {"longformer(reach=5, global-tokens=2)", "scaled_dot | (window(5) | globals(2))"},
      {"longformer(reach=70, global-tokens=0)", "scaled_dot | window(70)"},
      {"longformer(reach=3, global-tokens=1) | causal",
       "scaled_dot | (window(3) | globals(1)) & causal"},
      {"longformer(reach=3, global-tokens=2, dilation=[1, 4])",
       "1x(scaled_dot | (window(3) | globals(2))); "
       "1x(scaled_dot | (dilated(window=3, step=4) | globals(2)))"}};
  for (const auto& [text, composed] : same) {
    SCOPED_TRACE(text);
    expect_near(longformer_context(*longformer_of(text)),
                longformer_context(*longformer_of(composed)), 1e-5);
  }
}

TEST(Longformer, ReadsGlobalRowsByTheirOwnProjections) {
  const auto look = longformer_of("longformer(reach=5, global-tokens=2)");
  const Tensor before = longformer_context(*look);
  for (const nn::Parameter& parameter : nn::parameters(*look)) {
    Tensor values = parameter.variable.value();
    values.assign(values * Real(0.5));
  }
  const Tensor after = longformer_context(*look);
  expect_near(after.slice(2, 2, kLongTokens), before.slice(2, 2, kLongTokens), 0);
  EXPECT_NE(after.slice(2, 0, 2).values(), before.slice(2, 0, 2).values());
  // Values halved, and scores a quarter of what they were.
  Random random(1);
  const auto full = longformer_of("scaled_dot(scale=0.125)");
  expect_near(after.slice(2, 0, 2), (longformer_context(*full) * Real(0.5)).slice(2, 0, 2), 1e-5);
}

TEST(Longformer, SaysWhatItsDilationsTake) {
  EXPECT_EQ(message_of([] { longformer_of("longformer(dilation=[1, 2, 3])"); }),
            "longformer: 3 dilations and 2 heads; it takes one, or one for each head");
  EXPECT_EQ(message_of([] { longformer_of("longformer(dilation=[0])"); }),
            "longformer: a dilation is 0: it takes a whole number from 1 to 1000000");
}

}  // namespace
}  // namespace heed::attention
