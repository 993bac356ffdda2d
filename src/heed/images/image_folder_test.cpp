// SPDX-License-Identifier: Apache-2.0
// Folders and lists of images, and what is wrong with them.
#include "heed/images/image_folder.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/testing.h"
#include "heed/images/image_file.h"

namespace heed::images {
namespace {

namespace fs = std::filesystem;

struct Pets {
  Pets() {
    fs::create_directories(folder / "pets/dog");
    fs::create_directories(folder / "pets/cat");
    test::put(folder / "pets/dog/b.png", png_bytes(Image::filled(8, 8, 1, 1)));
    test::put(folder / "pets/dog/.hidden", "no image");
    test::put(folder / "pets/cat/a.ppm", portable_bytes(Image::filled(4, 8, 3, 1)));
  }
  std::string refused(const LabelledImages& wanted) const {
    std::string message = test::message_of<DataError>([&] { read_labelled_images(wanted); });
    const std::string path = folder.path().string() + "/";
    for (std::size_t at; (at = message.find(path)) != message.npos;) message.erase(at, path.size());
    return message;
  }
  test::TemporaryFolder folder;
};

TEST(LabelledImages, AreThoseOfAFolderForEachLabel) {
  const Pets pets;
  const ImageSet set = read_labelled_images(
      {.path = pets.folder / "pets", .form = {.height = 8, .width = 8, .channels = 1}});
  EXPECT_EQ(set.names, (std::vector<std::string>{"cat", "dog"}));
  EXPECT_EQ(set.labels, (std::vector<int>{0, 1}));
  EXPECT_EQ(set.image(1), Image::filled(8, 8, 1, 1));
  EXPECT_EQ(set.image(0).at(1, 3), 0);  // twice as wide as high: bands above and below
  EXPECT_EQ(set.image(0).at(2, 3), 1);
}

TEST(LabelledImages, AreThoseOfAListAndFoundFromThere) {
  const Pets pets;
  test::put(pets.folder / "list.tsv", "pets/dog/b.png\tdog\npets/cat/a.ppm\tcat\r\n");
  const ImageSet set = read_labelled_images({.path = pets.folder / "list.tsv"});
  EXPECT_EQ(set.rows, 8);  // as the first has
  EXPECT_EQ(set.labels, (std::vector<int>{1, 0}));
}

TEST(LabelledImages, AreRefusedWithTheLineThatIsWrong) {
  const Pets pets;
  const LabelledImages list{.path = pets.folder / "l.tsv"};
  test::put(list.path, "pets/dog/b.png\tdog\npets/dog/c.png\tdog\n");
  EXPECT_EQ(pets.refused(list),
            "l.tsv:2: there is no image pets/dog/c.png; files are looked for from where the list "
            "lies");
  test::put(list.path, "pets/dog/b.png dog\n");
  EXPECT_EQ(pets.refused(list),
            "l.tsv:1: \"pets/dog/b.png dog\"; a line is the file of an image, a tab and its label");
  test::put(list.path, "\n");
  EXPECT_EQ(pets.refused(list),
            "l.tsv: lists no image; a line is the file of an image, a tab and its label");
  test::put(pets.folder / "pets/x.png", png_bytes(Image::filled(1, 1)));
  test::put(list.path, "pets/x.png\tdog\n");
  EXPECT_EQ(pets.refused(list),
            "l.tsv:1: an image of 1 x 1, in which there is nothing to see; give 4 x 4 or more");
  test::put(pets.folder / "pets/x.png", "GIF89a");
  EXPECT_EQ(pets.refused(list), "l.tsv:1: pets/x.png: is a GIF; give PNG, JPEG, PPM, PGM or PBM");
}

TEST(LabelledImages, AreRefusedWithoutSubFoldersOrKnownLabels) {
  const Pets pets;
  EXPECT_EQ(pets.refused({.path = pets.folder / "pets/dog"}),
            "pets/dog: has no sub-folders; make one for each label, with its images in it");
  EXPECT_EQ(pets.refused({.path = pets.folder / "pets", .names = {"dog"}}),
            "pets/cat/a.ppm: the label \"cat\" is not among those learnt: dog");
  fs::create_directories(pets.folder / "none/dog");
  EXPECT_EQ(pets.refused({.path = pets.folder / "none"}), "none: no images in its sub-folders");
}

}  // namespace
}  // namespace heed::images
