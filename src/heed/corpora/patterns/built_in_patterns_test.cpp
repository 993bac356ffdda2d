// SPDX-License-Identifier: Apache-2.0
// The pictures that are built in.
#include <gtest/gtest.h>

#include <set>

#include "heed/corpora/patterns/pattern_text.h"

namespace heed::corpora {
namespace {

TEST(BuiltInPatterns, AreTenOfOneSize) {
  ASSERT_EQ(built_in_patterns().size(), 10u);
  std::set<std::string> names;
  for (const PicturePattern& one : built_in_patterns()) {
    EXPECT_EQ(one.rows, 8);
    EXPECT_TRUE(names.insert(one.name).second) << one.name;
    EXPECT_EQ(one.columns, 8) << one.name;
  }
  EXPECT_EQ(parse_patterns(written_patterns(built_in_patterns()), "again"), built_in_patterns());
}

}  // namespace
}  // namespace heed::corpora
