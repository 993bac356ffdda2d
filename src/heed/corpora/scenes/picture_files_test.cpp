// SPDX-License-Identifier: Apache-2.0
// Files of pictures: what is written comes back, and mistakes are found by file and line.
#include "heed/corpora/scenes/picture_files.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/testing.h"
#include "heed/corpora/scenes/scene_set.h"

namespace heed::corpora {
namespace {

using heed::test::TemporaryFolder;

TEST(PictureFiles, ComeBackAsTheyWere) {
  const TemporaryFolder folder;
  const PictureSet set = make_scenes(ScenePart::test, {.size = 7});
  write_pictures(set, folder.path(), "test", Existing::refused);
  const PictureSet again = read_pictures(folder.path(), "test");
  EXPECT_EQ(again.of, set.of);
  EXPECT_EQ(again.images.pixels, set.images.pixels);
  write_pictures(set, folder.path(), "test", Existing::refused);  // the same may stand there
  const PictureSet other = make_scenes(ScenePart::test, {.seed = 2, .size = 7});
  EXPECT_THROW(write_pictures(other, folder.path(), "test", Existing::refused), UsageError);
  write_pictures(other, folder.path(), "test", Existing::replaced);
  EXPECT_EQ(read_pictures(folder.path(), "test").of, other.of);
}

std::string refusal_of(const PictureTables& tables) {
  try {
    parse_picture_tables(tables);
  } catch (const DataError& error) {
    return error.what();
  }
  return "";
}

TEST(PictureFiles, SayWhichLineIsWrong) {
  EXPECT_EQ(refusal_of({.captions = {"a.png\n", "c"}}),
            "c:1: 1 fields; a line is a picture, its caption and perhaps links, with tabs between "
            "them");
  EXPECT_EQ(refusal_of({.captions = {"a.png\ta cat\n\na.png\ta dog\n", "c"}}),
            "c:3: a second caption of a.png; a picture has one");
  EXPECT_EQ(refusal_of({.captions = {"a.png\ta cat\t- - -\n", "c"}}),
            "c:1: 3 links for 2 words; each word has its regions, or -");
  EXPECT_EQ(refusal_of({.captions = {"a.png\ta cat\t- 0\n", "c"}}),
            "c:1: region 0 of a.png, which has 0; they count from 0");
  EXPECT_EQ(refusal_of({.questions = {"a.png\tx\twhat ?\tred green\t-\n", "q"}}),
            "q:1: the answer \"red green\"; an answer is one word");
  EXPECT_EQ(refusal_of({.regions = {"a.png\tx\t3 3 1 9\t1-2\n", "r"}}),
            "r:1: the box 3 3 1 9 is empty; right and bottom are beyond left and top");
  EXPECT_EQ(refusal_of({.regions = {"a.png\tx\t0 0 1 1\t5-9 9-10\n", "r"}}),
            "r:1: the run \"9-10\"; runs are begin-end, ascending and apart");
  EXPECT_EQ(refusal_of({.captions = {"a.png\ta \xff\n", "c"}}), "c:1: is no text in UTF-8");
}

TEST(PictureFiles, NameAPictureThatIsMissingAndARegionBeyondItsOwn) {
  const TemporaryFolder folder;
  const auto refusal = [&](const images::ImageForm& form = {.channels = 3}) -> std::string {
    try {
      read_pictures(folder.path(), "x", form);
    } catch (const DataError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(refusal().find("neither x.captions.tsv nor x.questions.tsv"), std::string::npos);
  write_atomically(folder.path() / "x.captions.tsv", "a.png\ta cat\n");
  EXPECT_NE(refusal().find("x.captions.tsv:1: there is no picture"), std::string::npos);
  const PictureSet set = make_scenes(ScenePart::test, {.size = 1});
  write_pictures(set, folder.path(), "x", Existing::replaced);
  EXPECT_NE(refusal({.height = 24, .width = 24, .channels = 3}).find("24 x 24 are wanted"),
            std::string::npos);
  write_atomically(folder.path() / "x.regions.tsv",
                   "00001.png\tfar\t0 0 99 9\t1-2\n00001.png\tx\t0 0 9 9\t1-2\n"
                   "00001.png\ty\t0 0 9 9\t1-2\n");
  EXPECT_NE(refusal().find("lies beyond its 48 x 48 pixels"), std::string::npos);
}

}  // namespace
}  // namespace heed::corpora
