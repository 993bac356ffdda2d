// SPDX-License-Identifier: Apache-2.0
// Cells of images: their order, their places, and what is refused.
#include "heed/models/image_encoder.h"

#include <gtest/gtest.h>

#include "heed/attention/trace.h"
#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/base/testing.h"
#include "heed/nn/initialisers.h"
#include "heed/tensor/testing.h"

namespace heed::models {
namespace {

ImageTensors noise_images(std::int64_t count, std::int64_t channels, std::int64_t height,
                          std::int64_t width) {
  Random random(5);
  return {nn::uniform({count, channels, height, width}, random, 0, 1)};
}

ImageEncoderOptions small_patches() {
  ImageEncoderOptions options{
      .height = 6, .width = 9, .reading = ImageReading::patches, .patch = 3};
  options.stack.width = 8;
  options.stack.heads = 2;
  options.stack.inner = 16;
  options.stack.layers = 2;
  return options;
}

TEST(ImageTensors, HaveAPlaneForEachChannel) {
  images::Image image = images::Image::filled(2, 3, 3);
  image.at(1, 2, 1) = 1;
  const ImageTensors tensors = image_tensors(std::array{image, image});
  EXPECT_EQ(tensors.pixels.shape(), (Shape{2, 3, 2, 3}));
  EXPECT_EQ(tensors.pixels.at({1, 1, 1, 2}), 1);
  EXPECT_EQ(tensors.pixels.at({1, 0, 1, 2}), 0);
  EXPECT_THROW(image_tensors(std::array{image, images::Image::filled(2, 2, 3)}), UsageError);
  EXPECT_THROW(image_tensors({}), UsageError);
}

TEST(ImageEncoder, MakesACellOfEachPlaceThatPoolingLeaves) {
  Random random(1);
  const ImageEncoder encoder(
      {.height = 15, .width = 21, .channels = 3, .stages = {{4, 5, 2}, {6, 3, 3}}}, random);
  EXPECT_EQ(encoder.grid(), (ImageGridShape{2, 3}));
  const EncoderStates states = encoder(noise_images(2, 3, 15, 21), {});
  EXPECT_EQ(states.states.shape(), (Shape{2, 6, 6}));
  EXPECT_EQ(encoder.width(), 6);
}

// A bright square changes the cell that it lies in, of patches before they look at each other and
// of convolutions whose window stays inside.
TEST(ImageEncoder, HasCellsInReadingOrder) {
  Random random(1);
  ImageEncoderOptions convolutions{.height = 6, .width = 9, .stages = {{5, 1, 3}}};
  ImageEncoderOptions patches = small_patches();
  patches.stack.attention = "scaled_dot | window_2d(columns=3, radius=0, tokens=1) | softmax";
  patches.stack.layers = 1;
  for (const ImageEncoderOptions& options : {convolutions, patches}) {
    const ImageEncoder encoder(options, random);
    ImageTensors dark{Tensor::zeros({1, 1, 6, 9})}, bright{Tensor::zeros({1, 1, 6, 9})};
    for (std::int64_t y = 3; y < 6; ++y) {
      for (std::int64_t x = 6; x < 9; ++x) bright.pixels.mutable_data()[y * 9 + x] = 1;
    }
    const Tensor before = encoder.read(dark, {}).cells.value();
    const Tensor after = encoder.read(bright, {}).cells.value();
    for (std::int64_t cell = 0; cell < 6; ++cell) {
      double change = 0;
      for (std::int64_t d = 0; d < encoder.width(); ++d) {
        change += std::abs(static_cast<double>(before.at({0, cell, d}) - after.at({0, cell, d})));
      }
      // One layer: the token has not told other cells of it yet.
      EXPECT_EQ(change > 1e-6, cell == 5) << cell;
    }
  }
}

TEST(ImageEncoder, TellsCellsTheirPlaceWhereItIsAskedTo) {
  for (const CellPlaces places : {CellPlaces::none, CellPlaces::sines, CellPlaces::channels}) {
    Random random(1);
    const ImageEncoder encoder({.height = 4, .width = 4, .stages = {{6, 1, 1}}, .places = places},
                               random);
    const Tensor cells = encoder.read({Tensor::full({1, 1, 4, 4}, Real(.5))}, {}).cells.value();
    bool alike = true;
    for (std::int64_t d = 0; d < 6; ++d)
      alike = alike && cells.at({0, 0, d}) == cells.at({0, 15, d});
    EXPECT_EQ(alike, places == CellPlaces::none);
  }
}

TEST(ImageEncoder, KeepsTheSizeOfNormalPixelsThroughItsConvolutions) {
  const Tensor pixels = noise_images(4, 3, 16, 16).pixels;  // even from 0 to 1
  const auto size_of_cells = [&](const std::optional<PixelNormal>& normal, Real scale) {
    Random random(1);
    const ImageEncoder encoder({.height = 16,
                                .width = 16,
                                .channels = 3,
                                .stages = {{16, 3, 1}, {32, 3, 1}, {64, 3, 1}},
                                .normal = normal},
                               random);
    return mean(square(encoder.read({pixels * scale}, {}).cells)).item();
  };
  const PixelNormal even{Real(.5), Real(.2887)};
  const auto size = size_of_cells(even, 1);
  EXPECT_GT(size, .3);
  EXPECT_LT(size, 3);
  EXPECT_LT(size_of_cells({}, 1), .1) << "without, hardly anything is left";
  EXPECT_NEAR(size_of_cells(PixelNormal{1, Real(2 * .2887)}, 2), size, 1e-3);
  EXPECT_THROW(size_of_cells(PixelNormal{0, 0}, 1), UsageError);
}

TEST(ImageEncoder, OfPatchesIsWatchedWithTheTokenInFront) {
  for (const Positions positions : {Positions::sinusoidal, Positions::learned, Positions::rotary}) {
    Random random(1);
    ImageEncoderOptions options = small_patches();
    options.stack.positions = positions;
    const ImageEncoder encoder(options, random);
    attention::Trace trace;
    const ImageEncoder::Read read = encoder.read(noise_images(2, 1, 6, 9), {.watch = &trace});
    EXPECT_EQ(read.token.shape(), (Shape{2, 8}));
    EXPECT_EQ(read.cells.shape(), (Shape{2, 6, 8}));
    ASSERT_EQ(trace.entries().size(), 2u);
    EXPECT_EQ(trace.entries()[1].weights.shape(), (Shape{2, 2, 7, 7}));
    EXPECT_EQ(trace.entries()[1].site, ImageEncoder::kPatchSite.at_layer(1));
  }
}

TEST(ImageEncoder, RefusesSizesThatCannotBe) {
  Random random(1);
  const auto refused = [&](const ImageEncoderOptions& options) {
    return test::message_of<UsageError>([&] { ImageEncoder(options, random); });
  };
  EXPECT_EQ(refused({.height = 3, .width = 8, .stages = {{4, 3, 2}, {4, 3, 2}}}),
            "image encoder: nothing of 8 x 3 is left after its poolings; take fewer, or larger "
            "images");
  EXPECT_EQ(refused({.height = 28, .width = 30, .reading = ImageReading::patches}),
            "image encoder: 30 x 28 does not cut into patches of 7 x 7; choose a side that divides "
            "both, or another size");
  EXPECT_EQ(refused({.stages = {{4, 2, 1}}}),
            "image encoder: a stage of 4 channels, window 2, pool 1; it takes 1 or more, and odd "
            "windows");
  const ImageEncoder encoder({.height = 8, .width = 8}, random);
  EXPECT_EQ(test::message_of<UsageError>([&] { encoder(noise_images(1, 1, 8, 9), {}); }),
            "image encoder: pixels [1,1,8,9]; it takes [images, 1, 8, 8]");
}

TEST(ImageStage, IsReadFromItsWrittenForm) {
  EXPECT_EQ(ImageStage::parse("16:5:2"), (ImageStage{16, 5, 2}));
  EXPECT_EQ(ImageStage::parse("64"), (ImageStage{64, 3, 1}));
  EXPECT_THROW(ImageStage::parse("16:4"), UsageError);
  EXPECT_THROW(ImageStage::parse("16:3:2:1"), UsageError);
  EXPECT_THROW(ImageStage::parse("x"), UsageError);
}

}  // namespace
}  // namespace heed::models
