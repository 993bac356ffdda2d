// SPDX-License-Identifier: Apache-2.0
// Pictures of trainings: built in and of files, in orders that a checkpoint keeps.
#include "heed/pipeline/picture_data.h"

#include <gtest/gtest.h>

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
