// SPDX-License-Identifier: Apache-2.0
// make_attention: both forms of attention by their written form.
#include "heed/attention/attention.h"

#include <gtest/gtest.h>

#include "heed/attention/mechanism.h"
#include "heed/attention/whole_mechanism.h"
#include "heed/tensor/testing.h"

namespace heed::attention {
namespace {

using heed::testing::message_of;

constexpr MechanismShape kShape{.query_width = 4, .key_width = 4, .value_width = 4};

TEST(MakeAttention, MakesTheFormThatTheTextNames) {
  Random random(1);
  const auto factored = make_attention("scaled_dot | causal", kShape, random);
  EXPECT_NE(dynamic_cast<const Mechanism*>(factored.get()), nullptr);
  EXPECT_TRUE(factored->has_log_sum_exp() && factored->gives_weights());
  const auto whole = make_attention("linear | causal", kShape, random);
  EXPECT_NE(dynamic_cast<const WholeMechanism*>(whole.get()), nullptr);
  EXPECT_FALSE(whole->has_log_sum_exp());
  EXPECT_EQ(whole->written(), "linear | causal");
}

TEST(MakeAttention, SaysWhereALogSumExpBelongsToTheWeights) {
  Random random(1);
  EXPECT_FALSE(make_attention("dot | full | sparsemax", kShape, random)->has_log_sum_exp());
  EXPECT_FALSE(
      make_attention("dot | full | softmax(temperature=2)", kShape, random)->has_log_sum_exp());
}

TEST(MakeAttention, LeavesWholeMechanismsOutOfTheFactoredForm) {
  Random random(1);
  EXPECT_EQ(message_of([&] { Mechanism("linear", kShape, random); }),
            "mechanism: linear is a whole mechanism, which make_attention makes\n"
            "  linear\n"
            "  ^");
}

}  // namespace
}  // namespace heed::attention
