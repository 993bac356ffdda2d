// SPDX-License-Identifier: Apache-2.0
// IDX files, and those that lie.
#include "heed/images/idx.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/testing.h"
#include "heed/images/testing.h"

namespace heed::images {
namespace {

using testing::idx_bytes;
using testing::small_digit_images;
using testing::small_digit_labels;

TEST(ParseIdx, IsReadFromFilesAndCut) {
  const test::TemporaryFolder folder;
  write_atomically(folder / "i", small_digit_images(12, 4));
  write_atomically(folder / "l", small_digit_labels(12));
  const ImageSet digits = read_idx(folder / "i", folder / "l").slice(2, 5);
  EXPECT_EQ(digits.labels, (std::vector<int>{2, 3, 4}));
  EXPECT_EQ(digits.pixels.size(), 48u);
  EXPECT_EQ(digits.pixels[2], 255);
  EXPECT_EQ(digits.names.size(), 10u);
  EXPECT_EQ(digits.image(1).at(0, 3), 1);
}

TEST(ParseIdx, ReadsWhatIsWritten) {
  const std::string images = small_digit_images(12, 3), labels = small_digit_labels(12);
  ImageSet set = parse_idx({images, "images"}, {labels, "labels"});
  EXPECT_EQ(idx_of_images(set), images);
  EXPECT_EQ(idx_of_labels(set), labels);
  set.labels[0] = 256;
  EXPECT_THROW(idx_of_labels(set), UsageError);
  set.channels = 3;
  EXPECT_THROW(idx_of_images(set), UsageError);
}

TEST(ParseIdx, RefusesFilesThatLie) {
  const auto refused = [](const std::string& images, const std::string& labels) {
    return test::message_of<DataError>([&] { parse_idx({images, "i"}, {labels, "l"}, 10); });
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
            "l: label 11 of picture 3; it takes 0 to 9");
  EXPECT_NE(refused(idx_bytes({-1, -1, -1}, ""), labels).find("4294967295 pictures"),
            std::string::npos);
}

}  // namespace
}  // namespace heed::images
