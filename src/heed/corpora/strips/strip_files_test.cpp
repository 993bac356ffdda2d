// SPDX-License-Identifier: Apache-2.0
// The forms of files of strips, and what their mistakes are told.
#include "heed/corpora/strips/strip_files.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/testing.h"
#include "heed/corpora/strips/symbol_strips.h"

namespace heed::corpora {
namespace {

const StripForm kThree{.height = 3, .alphabet = "abc"};

TEST(StripFiles, AreFramesWithTheirLabels) {
  const auto strips = parse_strips("labels: c a\n1 2 3\n4,5,6\n\n\n-1 .5 1e2\n", kThree, "f");
  ASSERT_EQ(strips.size(), 2u);
  EXPECT_EQ(strips[0].labels, (std::vector<int>{2, 0}));
  EXPECT_TRUE(strips[0].labelled);
  EXPECT_EQ(strips[0].frames(), 2);
  EXPECT_EQ(strips[0].values, (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_FALSE(strips[1].labelled);
  EXPECT_EQ(strips[1].values, (std::vector<float>{-1, .5f, 100}));
}

TEST(StripFiles, HaveColumnsOfPicturesForFrames) {
  const Strip strip = parse_strips("P2 2 3 10\n0 10\n5 0\n10 0\n", kThree, "f").front();
  EXPECT_EQ(strip.values, (std::vector<float>{0, .5f, 1, 1, 0, 0}));
}

TEST(StripFiles, ComeBackToTheSameBits) {
  const StripForm form{.height = kSymbolHeight, .alphabet = std::string(kSymbolAlphabet)};
  for (Strip strip : draw_symbol_strips({.count = 5})) {
    strip.places.clear();
    EXPECT_EQ(parse_strips(written_strip(strip, kSymbolAlphabet), form, "f").front(), strip);
    strip.labels.clear();
    strip.labelled = false;
    EXPECT_EQ(parse_strip_line(written_strip_line(strip), form, "f"), strip);
  }
}

TEST(StripFiles, AreReadFromDisk) {
  const test::TemporaryFolder folder;
  write_atomically(folder / "s.txt", "1 2 3\n");
  EXPECT_EQ(read_strips(folder / "s.txt", kThree).front().frames(), 1);
}

TEST(StripFiles, AreRefusedWithPlaceAndRemedy) {
  const auto refused = [](std::string_view text) {
    return test::message_of<DataError>([&] { parse_strips(text, kThree, "f"); });
  };
  EXPECT_EQ(refused("1 2 3\n1 2\n"), "f:2: a frame of 2 numbers; the model reads 3 of them");
  EXPECT_EQ(refused("1 2 x\n"),
            "f:1: \"x\" is no number; a line is a frame of 3 numbers, a picture PNG or PGM");
  EXPECT_EQ(refused("1 nan 3\n"),
            "f:1: nan in a frame; numbers are finite and no larger than 1000000");
  EXPECT_EQ(refused("labels: ad\n1 2 3\n"), "f:1: label \"d\"; labels are abc");
  EXPECT_EQ(refused("1 2 3\nlabels: a\n"),
            "f:2: labels inside a strip; leave an empty line before them");
  EXPECT_EQ(refused("labels: a\n\n1 2 3\n"),
            "f:1: labels without frames; they stand before the strip's first frame");
  EXPECT_EQ(refused("\n"),
            "f: holds no strip; a line is a frame of 3 numbers, a picture PNG or PGM");
  EXPECT_EQ(refused("P1 1 1\n0\n"),
            "f: a picture of 1 rows; the model reads 3: scale it to that height");
  EXPECT_EQ(refused(std::string_view("\0\0\10\3", 4)),
            "f: an IDX file, whose pictures are single digits; give a strip: rows of 3 numbers, or "
            "a picture of 3 rows, PNG or PGM");
  EXPECT_EQ(test::message_of<DataError>([] { parse_strip_line(" ", kThree, "strip"); }),
            "strip: no frames; give them apart by spaces, each 3 numbers with commas between");
}

TEST(StripFiles, SayTheLineOfAStripWithAProblem) {
  const auto refused = [](std::string_view text) {
    return test::message_of<DataError>([&] {
      parse_strips(text, kThree, "f", [](const Strip& strip) {
        return strip.frames() < 2 ? std::string("too short") : std::string();
      });
    });
  };
  EXPECT_EQ(refused("1 2 3\n1 2 3\n\n\nlabels: a\n1 2 3\n"), "f:5: too short");
  EXPECT_EQ(refused("1 2 3\n1 2 3\n\n1 2 3\n\n1 2 3\n1 2 3\n"), "f:4: too short");
  EXPECT_EQ(refused("P2 1 3 10\n0 5 10\n"), "f: too short");
}

}  // namespace
}  // namespace heed::corpora
