// SPDX-License-Identifier: Apache-2.0
// States of strips: alone and in a batch, and what is refused.
#include "heed/models/strip_encoder.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/testing.h"
#include "heed/models/strip_testing.h"
#include "heed/tensor/testing.h"

namespace heed::models {
namespace {

TEST(StripEncoder, ReadsAStripAloneAsInABatch) {
  for (const bool convolution : {false, true}) {
    Random random(3);
    const StripEncoder encoder(
        {.height = 9, .convolution = convolution, .channels = 2, .hidden = 5}, random);
    const StripTensors strips = testing::random_strips({13, 22, 7}, 9, random);
    const EncoderStates all = encoder(strips, {});
    EXPECT_EQ(all.states.shape(), (Shape{3, convolution ? 5 : 22, 10}));
    for (std::int64_t b = 0; b < 3; ++b) {
      const EncoderStates one = encoder(testing::strip_alone(strips, b), {});
      EXPECT_EQ(one.lengths.at({0}), all.lengths.at({b}));
      EXPECT_EQ(one.lengths.at({0}), strips.lengths.at({b}) / encoder.frames_of_state());
      heed::testing::expect_near(
          one.states.value(), all.states.value().slice(0, b, b + 1).slice(1, 0, one.states.size(1)),
          1e-5);
    }
  }
}

TEST(StripEncoder, RefusesWhatItCannotRead) {
  Random random(3);
  const StripEncoder encoder({.height = 8, .convolution = true, .hidden = 4}, random);
  const auto refused = [&](const StripTensors& strips) {
    return test::message_of<UsageError>([&] { encoder(strips, {}); });
  };
  EXPECT_EQ(refused(testing::random_strips({5}, 7, random)),
            "strip encoder: frames [1,5,7]; it takes [strips, frames, 8]");
  EXPECT_EQ(refused(testing::random_strips({5, 3}, 8, random)),
            "strip encoder: a strip of 3 frames; it takes 4 or more");
  EXPECT_THROW(StripEncoder({.height = 3, .convolution = true}, random), UsageError);
}

}  // namespace
}  // namespace heed::models
