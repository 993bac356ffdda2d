// SPDX-License-Identifier: Apache-2.0
// Files of patterns, right and wrong.
#include "heed/corpora/patterns/pattern_files.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/testing.h"
#include "heed/corpora/patterns/pattern_text.h"
#include "heed/images/image_file.h"

namespace heed::corpora {
namespace {

using Values = std::vector<double>;

std::string pattern_refusal(std::string_view bytes) {
  return test::message_of<DataError>([&] { parse_patterns(bytes, "file"); });
}

TEST(PatternFiles, ReadsBitsWithNames) {
  const auto found = parse_patterns("A:\n.#\n#?\n\n\n01\n10\n", "file");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0], (PicturePattern{"A", 2, 2, {-1, 1, 1, 0}}));
  EXPECT_EQ(found[1], (PicturePattern{"", 2, 2, {-1, 1, 1, -1}}));
}

TEST(PatternFiles, ReadsNumbersAndTakesATableOfZerosAndOnesForBits) {
  EXPECT_EQ(parse_patterns("0.5 -1, 2", "file")[0].values, (Values{.5, -1, 2}));
  EXPECT_EQ(parse_patterns("0 1 1", "file")[0].values, (Values{-1, 1, 1}));
  EXPECT_EQ(parse_patterns("0 1 0.5", "file")[0].values, (Values{0, 1, .5}));
  EXPECT_EQ(parse_patterns("0.1", "file")[0].values, (Values{.1}));
}

TEST(PatternFiles, ReadsPortablePicturesPlainAndRaw) {
  const PicturePattern bits{"", 2, 3, {1, -1, 1, -1, 1, 1}};
  EXPECT_EQ(parse_patterns("P1 # a picture\n3 2\n1 0 1\n011\n", "file")[0], bits);
  EXPECT_EQ(parse_patterns("P4\n3 2\n\xA0\x60", "file")[0], bits);
  const PicturePattern greys{"", 1, 3, {-1, 0, 1}};
  EXPECT_EQ(parse_patterns("P2\n3 1\n4\n0 2 4\n", "file")[0], greys);
  EXPECT_EQ(parse_patterns(std::string("P5 3 1 4\n\0\2\4", 12), "file")[0], greys);
  EXPECT_EQ(parse_patterns(std::string("P5 1 1 510\n\0\xFF", 13), "file")[0].values, Values{0});
}

TEST(PatternFiles, ReadsPngAndTurnsColourToGrey) {
  images::Image image = images::Image::filled(1, 2, 3);
  for (int channel = 0; channel < 3; ++channel) image.at(0, 1, channel) = 1;
  const auto found = parse_patterns(images::png_bytes(image), "file");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].columns, 2);
  EXPECT_NEAR(found[0].values[0], -1, 1e-6);
  EXPECT_NEAR(found[0].values[1], 1, 1e-6);
}

TEST(PatternFiles, ReadsTheFirstPicturesOfAnIdxFile) {
  const std::string idx("\0\0\10\3\0\0\0\2\0\0\0\1\0\0\0\2\0\377\377\0", 20);
  const auto found = parse_patterns(idx, "file");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0], (PicturePattern{"", 1, 2, {-1, 1}}));
  EXPECT_EQ(found[1], (PicturePattern{"", 1, 2, {1, -1}}));
  const test::TemporaryFolder folder;
  write_atomically(folder / "images", idx);
  EXPECT_EQ(read_patterns(folder / "images").size(), 2u);
  const auto first = read_patterns(folder / "images", 1);
  ASSERT_EQ(first.size(), 1u);
  EXPECT_EQ(first[0], (PicturePattern{"images", 1, 2, {-1, 1}}));
}

TEST(PatternFiles, WritesWhatReadsBackToTheSame) {
  const std::vector<PicturePattern> patterns = {{"x", 2, 1, {10, .1}}, {"y", 2, 1, {0, 1}}};
  EXPECT_EQ(written_patterns(patterns), "x:\n10,\n0.1,\n\ny:\n?\n#\n");
  EXPECT_EQ(parse_patterns(written_patterns(patterns), "again"), patterns);
}

TEST(PatternFiles, SaysWhatIsWrongWhere) {
  EXPECT_EQ(pattern_refusal(""),
            "file: holds no pattern; a row is bits such as .##. or 0110 (# X 1 for ink, . 0 for "
            "ground, ? for unknown) or numbers apart by spaces");
  EXPECT_EQ(pattern_refusal("##\n#\n"),
            "file:2: a row of 1 where those before it have 2; make them equally long");
  EXPECT_EQ(pattern_refusal("##\n\n#\n"),
            "file:4: a pattern of 1 by 1 ends here, the first has 1 by 2; all take one size");
  EXPECT_EQ(pattern_refusal("##\nA:\n"),
            "file:2: a name inside a pattern; leave an empty line before it");
  EXPECT_TRUE(pattern_refusal("#o#").starts_with("file:1: \"#o#\" is no bit and no number; "));
  EXPECT_TRUE(pattern_refusal("1 nan").starts_with("file:1: \"nan\" is no bit and no number; "));
  EXPECT_TRUE(pattern_refusal("A:").starts_with("file:1: \"A\" has no rows; "));
  EXPECT_TRUE(pattern_refusal(" , ").starts_with("file:1: a row without a number; "));
  EXPECT_EQ(pattern_refusal("P5 2 2 255\nab"),
            "file: 2 bytes of the image where it takes 4; it is cut short");
  EXPECT_TRUE(pattern_refusal("P2\n2 x").starts_with("file:2: the height is missing"));
  EXPECT_EQ(pattern_refusal("P2 1 1 4\n5"),
            "file:2: a value is missing, or not from 0 to 4; an image says its kind, width, height "
            "and, but for bits, the lightest value");
  EXPECT_TRUE(pattern_refusal(std::string("\0\0\10\1\0\0\0\2", 8))
                  .starts_with("file: an IDX file of 1 axes and type 8; give pictures such as"));
  EXPECT_EQ(pattern_refusal(std::string("\0\0\10\3\0\0\0\2\0\0\0\1\0\0\0\2\0\377\377", 19)),
            "file: its sizes promise 4 bytes, and 3 follow; it is cut short");
}

}  // namespace
}  // namespace heed::corpora
