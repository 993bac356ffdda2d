// SPDX-License-Identifier: Apache-2.0
#include "heed/text/line_sketch.h"

#include <gtest/gtest.h>

#include <string>

namespace heed::text {
namespace {

TEST(LineSketch, CountsRepeatedTextsExactlyWhileThereIsRoom) {
  LineSketch sketch;
  for (std::uint64_t i = 0; i < 3000; ++i) {
    sketch.add(text_hash(std::to_string(i % 1000)), i + 1, static_cast<std::uint32_t>(i / 2000));
  }
  EXPECT_EQ(sketch.kept_one_in(), 1u);
  EXPECT_EQ(sketch.repeated(), 2000u);
  EXPECT_EQ(sketch.first_repeated().front(), 1001u);
  EXPECT_EQ(sketch.contradicting(), 1000u);
  EXPECT_EQ(sketch.commonest().count, 3u);
  ASSERT_NE(sketch.find(text_hash("7")), nullptr);
  EXPECT_EQ(sketch.find(text_hash("7"))->line, 8u);
  EXPECT_EQ(sketch.find(text_hash("1000")), nullptr);
}

TEST(LineSketch, EstimatesByAShareOfTheTextsWhenItIsFull) {
  LineSketch sketch(8);
  for (std::uint64_t i = 0; i < 40'000; ++i)
    sketch.add(text_hash(std::to_string(i % 30'000)), i, 0);
  EXPECT_GT(sketch.kept_one_in(), 30u);
  EXPECT_NEAR(static_cast<double>(sketch.repeated()), 10'000, 3'000);
}

TEST(LineSketch, CountsWhatComesOftenExactlyThoughItIsFull) {
  LineSketch sketch(8);
  for (std::uint64_t i = 0; i < 40'000; ++i) {
    sketch.add(text_hash(i % 10 == 0 ? "again" : std::to_string(i)), i, 0);
  }
  EXPECT_GT(sketch.kept_one_in(), 30u);
  EXPECT_EQ(sketch.repeated(), 3999u);
  EXPECT_EQ(sketch.commonest().count, 4000u);
}

}  // namespace
}  // namespace heed::text
