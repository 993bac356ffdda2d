// SPDX-License-Identifier: Apache-2.0
// Batches of images: each once an epoch, the same after a seek, and of others than validation.
#include "heed/pipeline/look/image_batches.h"

#include <gtest/gtest.h>

#include <set>

#include "heed/base/error.h"
#include "heed/images/image_file.h"
#include "heed/pipeline/look/look_testing.h"

namespace heed::pipeline {
namespace {

using testing::put_digits;

struct Digits {
  Digits() {
    put_digits(folder.path());
    testing::set_small(options, folder.path());
  }
  test::TemporaryFolder folder;
  LookOptions options;
};

TEST(ImageBatches, OfScenesAreFreshAndTheSameAfterASeek) {
  LookOptions options;
  options.target = "circle";
  options.scenes = 40;
  options.batch = 16;
  options.valid_count = 5;
  ImageBatches batches(options);
  EXPECT_EQ(batches.epoch_batches(), 3u);
  EXPECT_EQ(batches.learnt().names.size(), corpora::kColourWords.size());
  const Tensor first = batches.next().images.pixels;
  EXPECT_EQ(first.shape(), (Shape{16, 3, 48, 48}));
  batches.next();
  EXPECT_EQ(batches.next().labels.size(), 8);
  EXPECT_TRUE(batches.ends_epoch());
  EXPECT_NE(batches.next().images.pixels.values(), first.values()) << "fresh";
  batches.seek(0);
  EXPECT_EQ(batches.next().images.pixels.values(), first.values());
  EXPECT_EQ(batches.held_out().size(), 5u);
  EXPECT_EQ(held_out_canvases(options, batches.learnt(), 7, 1).size(), 7u)
      << "as many as are asked for";
}

TEST(ImageBatches, HoldEveryImageOnceAnEpochAndFreshCanvasesInTheNext) {
  Digits digits;
  digits.options.side = 20;
  digits.options.clutter = 2;
  digits.options.piece = 4;
  digits.options.batch = 16;
  ImageBatches batches(digits.options);
  EXPECT_EQ(batches.epoch_batches(), 4u);  // 54 of 60
  std::vector<int> counts(10, 0);
  Tensor first;
  for (int i = 0; i < 4; ++i) {
    const ImageBatch batch = batches.next();
    EXPECT_EQ(batch.images.pixels.shape(), (Shape{i < 3 ? 16 : 6, 1, 20, 20}));
    if (i == 0) first = batch.images.pixels;
    for (std::int64_t b = 0; b < batch.labels.size(); ++b)
      ++counts[static_cast<std::size_t>(batch.labels.at({b}))];
    EXPECT_EQ(batches.ends_epoch(), i == 3);
  }
  EXPECT_EQ(counts, (std::vector<int>{6, 6, 6, 6, 6, 6, 6, 6, 6, 0}));  // every tenth is kept
  EXPECT_NE(batches.next().images.pixels.values(), first.values());
  batches.seek(0);
  EXPECT_EQ(batches.next().images.pixels.values(), first.values());
  EXPECT_EQ(batches.held_out().size(), 6u);
  EXPECT_EQ(batches.held_out()[0].labels.front(), 9);
  const auto held_out = held_out_canvases(digits.options, batches.learnt(), 100, 1);
  EXPECT_EQ(held_out.size(), 6u) << "no more than there are";
  for (const corpora::Canvas& canvas : held_out) EXPECT_EQ(canvas.labels.front(), 9);
}

TEST(ImageBatches, AreOfFoldersAndListsAsWell) {
  const test::TemporaryFolder folder;
  for (const char* label : {"dark", "light"}) {
    std::filesystem::create_directories(folder / "train" / label);
    for (int i = 0; i < 3; ++i) {
      test::put(folder / "train" / label / (std::to_string(i) + ".png"),
                images::png_bytes(images::Image::filled(9, 7, 3, label[0] == 'd' ? 0 : 1)));
    }
  }
  LookOptions options;
  options.train = (folder / "train").string();
  options.colour = true;
  options.batch = 4;
  options.valid_count = 0;
  ImageBatches batches(options);
  EXPECT_EQ(batches.learnt().form, (images::ImageForm{9, 7, 3}));
  EXPECT_EQ(batches.learnt().names, (std::vector<std::string>{"dark", "light"}));
  EXPECT_EQ(batches.next().images.pixels.shape(), (Shape{4, 3, 9, 7}));
  EXPECT_TRUE(batches.held_out().empty());
  options.valid_count = 10;
  EXPECT_THROW(ImageBatches{options}, DataError);  // too few to keep any
}

TEST(ImageBatches, RefuseWhatCannotBeLearnt) {
  Digits digits;
  digits.options.side = 5;
  EXPECT_NE(test::message_of<UsageError>([&] {
              ImageBatches{digits.options};
            }).find("--side 5, --clutter 0: canvases: 5 x 5 has no room"),
            std::string::npos);
  digits.options.side = 0;
  test::put(digits.folder / "labels", images::testing::idx_bytes({60}, std::string(60, '\0')));
  EXPECT_NE(test::message_of<DataError>([&] {
              ImageBatches{digits.options};
            }).find("1 label; it takes two or more to tell apart"),
            std::string::npos);
}

TEST(ReadImagesFor, RefusesOtherSizesAndLabels) {
  Digits digits;
  const ImageFiles files{digits.options.images, digits.options.labels};
  LearntImages learnt{.form = {8, 8, 1}, .names = std::vector<std::string>(10, "x")};
  EXPECT_EQ(read_images_for(learnt, files).size(), 60);
  learnt.form.height = 9;
  EXPECT_THROW(read_images_for(learnt, files), DataError);
  learnt.form.height = 8;
  learnt.names.resize(5);
  EXPECT_THROW(read_images_for(learnt, files), DataError);
}

}  // namespace
}  // namespace heed::pipeline
