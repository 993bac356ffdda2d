// SPDX-License-Identifier: Apache-2.0
// Structures behind weights: gathered with their keys, and in words.
#include "attend/structures.h"

#include <gtest/gtest.h>

#include "heed/attention/mechanism.h"
#include "heed/tensor/testing.h"

namespace heed::attend {
namespace {

using heed::testing::wavy;

std::vector<HeadStructure> structures_of(const char* text) {
  Random random(1);
  const attention::Mechanism look(
      text, {.query_width = 4, .key_width = 4, .value_width = 3, .heads = 2, .key_heads = 2},
      random);
  StructureWatch watch;
  const Variable states(wavy({2, 2, 5, 4}) * Real{3});
  look.attend(states, look.memory(states, Variable(wavy({2, 2, 5, 3}, 2))), {}, {.watch = &watch});
  return watch.found();
}

TEST(StructureWatch, HasTheMembersOfEveryQueryOrTable) {
  const auto rows = structures_of("dot | causal | sparse_span");
  ASSERT_EQ(rows.size(), 2u * 2u * 5u);
  EXPECT_EQ(rows[1].query, 1);
  for (const attention::Member& member : rows[1].members) {
    for (const std::int32_t key : member.keys) EXPECT_LE(key, 1) << "later keys are hidden";
  }
  const auto tables = structures_of("dot | full | sparse_tree");
  ASSERT_EQ(tables.size(), 2u * 2u);
  EXPECT_EQ(tables[3].sequence, 1);
  EXPECT_EQ(tables[3].head, 1);
  EXPECT_EQ(tables[3].members.front().keys.size(), 5u);
}

TEST(StructureWatch, HasTheErrorOfColumnsAfterFewIterations) {
  const auto few = structures_of("dot | full | sinkhorn(iterations=1)");
  ASSERT_EQ(few.size(), 4u);
  EXPECT_GT(few[0].defect, 1e-3);
  EXPECT_NE(written(few[0]).find("sums of columns are wrong by up to"), std::string::npos);
}

TEST(StructureWatch, IsSilentOfWeightsThatNoStructuresShare) {
  EXPECT_TRUE(structures_of("dot | full | softmax").empty());
  EXPECT_TRUE(structures_of("dot | full | tree").empty());
}

TEST(HeadStructure, IsWrittenInRunsOfKeys) {
  EXPECT_EQ(written({.query = 3, .members = {{0.62, {2, 3, 4}}, {0.38, {7}}}}),
            "query 3: 0.62 of keys 2 to 4; 0.38 of key 7\n");
  EXPECT_EQ(written({.query = 0, .members = {{0.5, {0, 1, 5}}, {0.5, {}}}}),
            "query 0: 0.50 of keys 0, 1, 5; 0.50 of no key\n");
  EXPECT_EQ(written({.members = {{0.75, {1, 0}}, {0.25, {0, 1}}}}),
            "0.75 of the keys 1 0\n0.25 of the keys 0 1\n");
  HeadStructure many{.query = 0, .members = {}};
  for (std::int32_t i = 0; i < 8; ++i) many.members.push_back({0.125, {i}});
  EXPECT_NE(written(many).find("; and 2 smaller ones\n"), std::string::npos);
}

}  // namespace
}  // namespace heed::attend
