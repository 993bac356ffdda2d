// SPDX-License-Identifier: Apache-2.0
// Whole classifiers of images against finite differences, in every parameter.
#include <gtest/gtest.h>

#include "heed/autograd/ops.h"
#include "heed/models/image_classifier.h"
#include "heed/models/testing.h"
#include "heed/nn/initialisers.h"

namespace heed::models {
namespace {

void check_images(const ImageClassifierOptions& options) {
  Random random(7);
  ImageClassifier model(options, random);
  const ImageTensors images{nn::uniform({2, 1, 6, 6}, random, 0, 1)};
  testing::expect_slopes(
      nn::parameters(model),
      [&] {
        return cross_entropy(model(images, {}), Ids::of({2}, {2, 0}));
      },
      23);
}

TEST(ImageClassifierGradients, AreSlopesOfTheLossOfConvolutions) {
  for (const CellPooling pooling : {CellPooling::attention, CellPooling::flat}) {
    check_images({.encoder = {.height = 6,
                              .width = 6,
                              .stages = {{3, 3, 2}, {4, 3, 1}},
                              .places = CellPlaces::channels},
                  .pooling = pooling,
                  .attention = "additive(size=4)",
                  .classes = 3});
  }
}

TEST(ImageClassifierGradients, AreSlopesOfTheLossOfPatches) {
  ImageClassifierOptions options{
      .encoder = {.height = 6, .width = 6, .reading = ImageReading::patches, .patch = 3},
      .pooling = CellPooling::token,
      .classes = 3};
  options.encoder.stack.width = 4;
  options.encoder.stack.heads = 2;
  options.encoder.stack.inner = 6;
  options.encoder.stack.layers = 1;
  options.encoder.stack.activation = Activation::gelu;
  options.encoder.stack.positions = Positions::learned;
  options.encoder.stack.dropout = 0;
  check_images(options);
}

}  // namespace
}  // namespace heed::models
