// SPDX-License-Identifier: Apache-2.0
#include "heed/corpora/made_names.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace heed::corpora {
namespace {

TEST(MadeNames, AreManyAndBeginWithACapitalConsonant) {
  Random random(1);
  std::set<std::string> names;
  for (int i = 0; i < 10'000; ++i) names.insert(make_name(random));
  EXPECT_GT(names.size(), 8'000u);
  for (const std::string& name : names) {
    ASSERT_NE(std::string_view("BDFGJKLMNPRSTVZ").find(name[0]), std::string_view::npos) << name;
    ASSERT_GE(name.size(), 4u);
    ASSERT_LE(name.size(), 11u);
  }
}

TEST(MadeNames, BelongToOnePartEach) {
  Random random(2);
  std::map<Part, int> count;
  for (int i = 0; i < 10'000; ++i) ++count[part_of_name(make_name(random))];
  EXPECT_NEAR(count[Part::train], 8'000, 200);
  EXPECT_NEAR(count[Part::valid], 1'000, 150);
  EXPECT_NEAR(count[Part::test], 1'000, 150);
  for (const Part part : {Part::train, Part::valid, Part::test}) {
    for (int i = 0; i < 100; ++i) EXPECT_EQ(part_of_name(make_name(random, part)), part);
  }
  EXPECT_EQ(part_of_name(make_name(random, Part::far)), Part::test);
}

}  // namespace
}  // namespace heed::corpora
