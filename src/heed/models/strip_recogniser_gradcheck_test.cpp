// SPDX-License-Identifier: Apache-2.0
// Whole recognisers of strips against finite differences, in every parameter.
#include <gtest/gtest.h>

#include "heed/models/strip_recogniser.h"
#include "heed/models/strip_testing.h"
#include "heed/models/testing.h"

namespace heed::models {
namespace {

void check(const StripRecogniserOptions& options, const std::vector<int>& lengths) {
  Random random(5);
  StripRecogniser model(options, random);
  const StripTensors strips = testing::random_strips(lengths, options.encoder.height, random);
  const StripLabels labels{Ids::of({2, 2}, {0, 2, 1, -1}), Ids::of({2}, {2, 1})};
  testing::expect_slopes(
      nn::parameters(model), [&] { return model.loss(strips, labels, {}); }, 17);
}

TEST(StripRecogniserGradients, AreSlopesOfTheLossOfCtc) {
  check({.encoder = {.height = 3, .hidden = 4}, .labels = 3}, {5, 3});
  check({.encoder = {.height = 5, .convolution = true, .channels = 2, .hidden = 3}, .labels = 3},
        {13, 8});
}

TEST(StripRecogniserGradients, AreSlopesOfTheLossOfDecoders) {
  for (const char* attention : {"additive(size=4)", "monotonic(size=4)", "mocha(size=4)"}) {
    check({.encoder = {.height = 3, .hidden = 4},
           .labels = 3,
           .writing = LabelWriting::attention,
           .attention = attention,
           .embedding = 3,
           .hidden = 4},
          {5, 3});
  }
}

}  // namespace
}  // namespace heed::models
