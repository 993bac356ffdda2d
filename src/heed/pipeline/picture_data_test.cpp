// SPDX-License-Identifier: Apache-2.0
// Pictures of trainings: built in and of files, in orders that a checkpoint keeps.
#include "heed/pipeline/picture_data.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/testing.h"
#include "heed/corpora/scenes/picture_files.h"
#include "heed/corpora/scenes/scene_set.h"

namespace heed::pipeline {
namespace {

using test::TemporaryFolder;

TEST(PictureData, OfFilesIsThatOfTheBuiltInScenes) {
  const TemporaryFolder folder;
  const PictureDataOptions scenes{.data = {}, .scenes = 5, .valid_scenes = 3};
  const auto train = training_pictures(scenes, 1), valid = validation_pictures(scenes, 1);
  corpora::write_pictures(train, folder.path(), "train", corpora::Existing::refused);
  const PictureDataOptions files{.data = folder.path().string()};
  EXPECT_EQ(training_pictures(files, 9).of, train.of);
  EXPECT_EQ(validation_pictures(files, 1).size(), 0);
  EXPECT_EQ(files.files().size(), 3);
  corpora::write_pictures(valid, folder.path(), "valid", corpora::Existing::refused);
  EXPECT_EQ(validation_pictures(files, 1).of, valid.of);
  EXPECT_EQ(files.files().size(), 6);
  EXPECT_EQ(pictures_of_table((folder / "valid.captions.tsv").string(), {}).size(), 3);
  EXPECT_THROW(pictures_of_table((folder / "valid.tsv").string(), {}), UsageError);
}

TEST(PictureData, MakesTensorsOfChannels) {
  images::ImageSet set;
  set.add(images::Image::of_bytes(1, 2, 3, std::vector<std::uint8_t>{255, 0, 51, 0, 255, 102}), 0);
  const std::size_t which[] = {0};
  const Tensor pixels = picture_tensors(set, which).pixels;
  EXPECT_EQ(pixels.shape(), (Shape{1, 3, 1, 2}));
  EXPECT_EQ(pixels.values(), (std::vector<Real>{1, 0, 0, 1, Real(51) / 255, Real(102) / 255}));
}

TEST(PictureData, RemembersMeanAndDeviationOfItsPixelsOrThoseItBeganWith) {
  const TemporaryFolder folder;
  corpora::PictureSet set;
  set.images.add(
      images::Image::of_bytes(1, 2, 3, std::vector<std::uint8_t>{255, 0, 51, 0, 255, 102}), 0);
  const LearntPictures learnt = learnt_from(set, {.data = "files"}, {});
  EXPECT_EQ(learnt.width, 2);
  EXPECT_FALSE(learnt.scenes);
  EXPECT_NEAR(learnt.mean, 663. / 255 / 6, 1e-9);
  EXPECT_NEAR(learnt.deviation, std::sqrt((1 + 1 + .04 + .16) / 6 - learnt.mean * learnt.mean),
              1e-6);
  LearntPictures({.mean = .25, .deviation = .5}).write(folder / kLearntPicturesFile);
  const LearntPictures gone_on = learnt_from(set, {}, folder.path());
  EXPECT_EQ(gone_on.mean, .25);
  EXPECT_EQ(gone_on.deviation, .5);
  EXPECT_EQ(gone_on.channels, 3);
  set.images.pixels.assign(6, 7);
  EXPECT_GT(learnt_from(set, {}, {}).deviation, 0) << "one grey";
}

// A cross fills a third of its box: its cells are covered by the mask, and pointed at in the box.
TEST(PictureData, HasGoldCellsOfMasksAndBoxes) {
  corpora::PictureSet set;
  set.images = {.rows = 4, .columns = 4, .channels = 1, .pixels = std::vector<std::uint8_t>(16)};
  set.of.resize(1);
  set.of[0].regions = {{.name = "one", .box = {0, 0, 1, 1}, .mask = {{0, 1}}},
                       {.name = "other", .box = {1, 1, 4, 4}, .mask = {{6, 7}, {9, 12}, {14, 15}}}};
  const int both[] = {0, 1}, other[] = {1};
  const metrics::GoldCells of_both = gold_cells(set, 0, both, {4, 4});
  const metrics::GoldCells of_other = gold_cells(set, 0, other, {4, 4});
  using Cells = std::vector<std::uint8_t>;
  EXPECT_EQ(of_other.covered, (Cells{0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 1, 1, 0, 0, 1, 0}));
  EXPECT_EQ(of_other.centred, (Cells{0, 0, 0, 0, 0, 1, 1, 1, 0, 1, 1, 1, 0, 1, 1, 1}));
  EXPECT_EQ(of_both.covered, (Cells{1, 0, 0, 0, 0, 0, 1, 0, 0, 1, 1, 1, 0, 0, 1, 0}));
  EXPECT_EQ(of_both.centred[0], 1);
}

TEST(PictureData, KeepsItsFormInAFile) {
  const TemporaryFolder folder;
  const LearntPictures form{.height = 20, .width = 30, .channels = 1, .scenes = false};
  form.write(folder / "f.toml");
  EXPECT_EQ(LearntPictures::read(folder / "f.toml").width, 30);
  write_atomically(folder / "f.toml", "height = -1\n");
  EXPECT_THROW(LearntPictures::read(folder / "f.toml"), DataError);
  EXPECT_THROW(picture_in_form(images::Image::filled(2, 2), form, "x"), UsageError);
}

TEST(PictureOrder, HasEveryExampleOnceInAnEpochAndGoesOnWhereItWas) {
  PictureOrder order(10, 1), again(10, 1);
  std::multiset<std::size_t> seen;
  for (int i = 0; i < 5; ++i) {
    const auto part = order.next(4);
    seen.insert(part.begin(), part.end());
    EXPECT_EQ(order.ended_epoch(), i == 2 || i == 4);
  }
  for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(seen.count(i), 2);
  again.seek(order.place());
  EXPECT_EQ(again.next(7), order.next(7));
  EXPECT_EQ(order.epoch_batches(4), 3);
}

}  // namespace
}  // namespace heed::pipeline
