// SPDX-License-Identifier: Apache-2.0
// Classifiers of images: every pooling learns, and looks where the answer is.
#include "heed/models/image_classifier.h"

#include <gtest/gtest.h>

#include "heed/attention/trace.h"
#include "heed/autograd/ops.h"
#include "heed/base/error.h"

namespace heed::models {
namespace {

TEST(ImageClassifier, GivesAScoreToEachClassByEveryPooling) {
  for (const CellPooling pooling : {CellPooling::attention, CellPooling::mean, CellPooling::maximum,
                                    CellPooling::flat, CellPooling::token}) {
    Random random(2);
    ImageClassifierOptions options{.pooling = pooling, .classes = 3};
    options.encoder.height = options.encoder.width = 8;
    options.encoder.stages = {{4, 3, 2}, {6, 3, 1}};
    if (pooling == CellPooling::token) {
      options.encoder.reading = ImageReading::patches;
      options.encoder.patch = 4;
      options.encoder.stack.width = 8;
      options.encoder.stack.heads = 2;
    }
    const ImageClassifier model(options, random);
    attention::Trace trace;
    const Variable logits = model({Tensor::full({2, 1, 8, 8}, Real(.5))}, {.watch = &trace});
    EXPECT_EQ(logits.shape(), (Shape{2, 3}));
    EXPECT_EQ(trace.entries().empty(), !model.looks());
    if (pooling == CellPooling::attention) {
      EXPECT_EQ(trace.entries()[0].weights.shape(), (Shape{2, 1, 1, 16}));
      EXPECT_EQ(trace.entries()[0].site, ImageClassifier::kCellSite);
    }
  }
}

TEST(ImageClassifier, RefusesATokenOfConvolutionsAndASingleClass) {
  Random random(2);
  EXPECT_THROW(ImageClassifier({.pooling = CellPooling::token}, random), UsageError);
  EXPECT_THROW(ImageClassifier({.classes = 1}, random), UsageError);
}

}  // namespace
}  // namespace heed::models
