// SPDX-License-Identifier: Apache-2.0
// Digits side by side, and IDX files that lie.
#include "heed/corpora/strips/digit_strips.h"

#include <gtest/gtest.h>

#include <set>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/testing.h"
#include "heed/images/idx.h"
#include "heed/images/testing.h"

namespace heed::corpora {
namespace {

using images::testing::small_digit_images;
using images::testing::small_digit_labels;

images::ImageSet small_digits() {
  return images::parse_idx({small_digit_images(20, 8), "i"}, {small_digit_labels(20), "l"});
}

TEST(DigitStrips, HaveTheirDigitsSideBySide) {
  const images::ImageSet digits = small_digits();
  std::set<std::int64_t> gaps;
  for (const Strip& strip : draw_digit_strips(digits, {.count = 60, .fewest = 3, .most = 6})) {
    EXPECT_EQ(strip.height, 8);
    EXPECT_EQ(strip.frames(), strip.places.back().end);
    for (std::size_t i = 0; i < strip.labels.size(); ++i) {
      const LabelPlace place = strip.places[i];
      EXPECT_EQ(place.end - place.begin, 8);
      if (i > 0) gaps.insert(place.begin - strip.places[i - 1].end);
      for (std::int64_t p = 0; p < 64; ++p) {
        if (p % 10 != strip.labels[i]) continue;
        const std::int64_t frame = place.begin + p % 8;
        EXPECT_EQ(strip.values[static_cast<std::size_t>(frame * 8 + p / 8)], 1);
      }
    }
  }
  EXPECT_EQ(*gaps.begin(), -4);
  EXPECT_EQ(*gaps.rbegin(), 8);
  EXPECT_EQ(gaps.size(), 13u);
}

TEST(DigitStrips, AreAFunctionOfSeedAndBatch) {
  const images::ImageSet digits = small_digits();
  EXPECT_EQ(draw_digit_strips(digits, {.batch = 3}), draw_digit_strips(digits, {.batch = 3}));
  EXPECT_NE(draw_digit_strips(digits, {.batch = 3}), draw_digit_strips(digits, {.batch = 4}));
  EXPECT_THROW(draw_digit_strips({}, {}), UsageError);
}

}  // namespace
}  // namespace heed::corpora
