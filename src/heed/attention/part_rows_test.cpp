// SPDX-License-Identifier: Apache-2.0
#include "heed/attention/part_rows.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace heed::attention {
namespace {

TEST(PartRows, GiveEveryKindWithCardsAndDefaults) {
  const std::vector<PartRow> rows = part_rows();
  for (const char* kind :
       {"score", "bias", "pattern", "normaliser", "addressing part", "whole mechanism"}) {
    EXPECT_GE(std::ranges::count(rows, kind, &PartRow::kind), 1) << kind;
  }
  const auto entmax =
      std::ranges::find_if(rows, [](const PartRow& row) { return row.card.name == "entmax"; });
  ASSERT_NE(entmax, rows.end());
  EXPECT_EQ(entmax->kind, "normaliser");
  const auto alpha = std::ranges::find(entmax->options, "alpha", &OptionRow::name);
  ASSERT_NE(alpha, entmax->options.end());
  EXPECT_EQ(std::get<double>(alpha->value), 1.5);
  EXPECT_EQ(alpha->default_text, "1.5");
}

}  // namespace
}  // namespace heed::attention
