// SPDX-License-Identifier: Apache-2.0
// Digits side by side, and IDX files that lie.
#include "heed/corpora/strips/digit_strips.h"

#include <gtest/gtest.h>

#include <set>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/testing.h"
#include "heed/corpora/strips/digit_testing.h"

namespace heed::corpora {
namespace {

using testing::idx_bytes;
using testing::small_digit_images;
using testing::small_digit_labels;

DigitSet small_digits() {
  return parse_digits({small_digit_images(20, 8), "i"}, {small_digit_labels(20), "l"});
}

TEST(DigitStrips, HaveTheirDigitsSideBySide) {
  const DigitSet digits = small_digits();
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
  const DigitSet digits = small_digits();
  EXPECT_EQ(draw_digit_strips(digits, {.batch = 3}), draw_digit_strips(digits, {.batch = 3}));
  EXPECT_NE(draw_digit_strips(digits, {.batch = 3}), draw_digit_strips(digits, {.batch = 4}));
  EXPECT_THROW(draw_digit_strips({}, {}), UsageError);
}

TEST(DigitSet, IsReadFromFilesAndCut) {
  const test::TemporaryFolder folder;
  write_atomically(folder / "i", small_digit_images(12, 4));
  write_atomically(folder / "l", small_digit_labels(12));
  const DigitSet digits = read_digits(folder / "i", folder / "l").slice(2, 5);
  EXPECT_EQ(digits.labels, (std::vector<std::uint8_t>{2, 3, 4}));
  EXPECT_EQ(digits.pixels.size(), 48u);
  EXPECT_EQ(digits.pixels[2], 255);
}

TEST(DigitSet, RefusesFilesThatLie) {
  const auto refused = [](const std::string& images, const std::string& labels) {
    return test::message_of<DataError>([&] { parse_digits({images, "i"}, {labels, "l"}); });
  };
  const std::string images = small_digit_images(3, 2), labels = small_digit_labels(3);
  EXPECT_EQ(refused("P5 1 1", labels),
            "i: no IDX file, which begins with two bytes of 0; give pictures such as "
            "train-images-idx3-ubyte");
  EXPECT_EQ(refused(labels, labels),
            "i: an IDX file of 1 axes and type 8; give pictures such as train-images-idx3-ubyte "
            "(type 8, 3 axes)");
  EXPECT_EQ(refused(images, images),
            "l: an IDX file of 3 axes and type 8; give labels such as train-labels-idx1-ubyte "
            "(type 8, 1 axis)");
  EXPECT_EQ(refused(images.substr(0, 9), labels),
            "i: 9 bytes, which is less than its head; it is cut short");
  EXPECT_EQ(refused(images.substr(0, 20), labels),
            "i: its sizes promise 12 bytes, and 4 follow; it is cut short");
  EXPECT_EQ(refused(images + "x", labels),
            "i: its sizes promise 12 bytes, and 13 follow; it is damaged or of another kind");
  EXPECT_EQ(refused(images, small_digit_labels(2)),
            "l: 2 labels for the 3 pictures of i; give the two files of one set");
  EXPECT_EQ(refused(images, idx_bytes({3}, "\1\2\13")),
            "l: label 11 of picture 3; digits are 0 to 9");
  EXPECT_NE(refused(idx_bytes({-1, -1, -1}, ""), labels).find("4294967295 pictures"),
            std::string::npos);
}

}  // namespace
}  // namespace heed::corpora
