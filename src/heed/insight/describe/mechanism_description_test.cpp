// SPDX-License-Identifier: Apache-2.0
#include "heed/insight/describe/mechanism_description.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"

namespace heed::insight {
namespace {

constexpr attention::MechanismShape kShape{.query_width = 8, .key_width = 6, .value_width = 6};

TEST(MechanismDescription, NamesEveryPartWithItsFormula) {
  const Description look = describe_mechanism("additive | causal & window(4) | sparsemax", kShape);
  ASSERT_EQ(look.root.parts.size(), 4u);
  EXPECT_EQ(look.root.parts[0].name, "additive");
  EXPECT_TRUE(look.root.parts[0].note.starts_with("score: ")) << look.root.parts[0].note;
  EXPECT_EQ(look.root.parts[2].name, "window(4)");
  EXPECT_TRUE(look.root.parts[3].note.starts_with("normaliser: "));
  EXPECT_FALSE(look.root.parts[3].trained);
}

TEST(MechanismDescription, CountsWhatIsLearnt) {
  const Description additive = describe_mechanism("additive", kShape);
  EXPECT_EQ(additive.root.parts[0].parameters, additive.cost.parameters);
  EXPECT_EQ(additive.cost.parameters, 128 * (8 + 6 + 1));
  EXPECT_EQ(additive.cost.flops_per_key, 4 * 128 + 2 * 6);
  const Description dot =
      describe_mechanism("scaled_dot", {.query_width = 6, .key_width = 6, .value_width = 5});
  EXPECT_EQ(dot.cost.parameters, 0);
  EXPECT_EQ(dot.cost.flops_per_key, 2 * 6 + 2 * 5);
}

TEST(MechanismDescription, KeepsGroupsOfHeadsApart) {
  const Description both = describe_mechanism(
      "2x(dot); 2x(dot | causal)",
      {.query_width = 6, .key_width = 6, .value_width = 6, .heads = 4, .key_heads = 4});
  ASSERT_EQ(both.root.parts.size(), 2u);
  EXPECT_EQ(both.root.parts[0].name, "2x");
  EXPECT_EQ(both.root.parts[1].parts[1].name, "causal");
}

TEST(MechanismDescription, OfSomethingElsePointsIntoTheText) {
  EXPECT_THROW(describe_mechanism("additiv", kShape), UsageError);
}

}  // namespace
}  // namespace heed::insight
