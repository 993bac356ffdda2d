// SPDX-License-Identifier: Apache-2.0
// PictureAsker: what it reads, what observers see of its looks, and questions of any length.
#include "heed/models/picture_asker.h"

#include <gtest/gtest.h>

#include "heed/attention/trace.h"
#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/tensor/testing.h"

namespace heed::models {
namespace {

using heed::testing::expect_near;
using heed::testing::wavy;

PictureAskerOptions small_asker(PictureReading reading) {
  PictureAskerOptions options{.vocabulary = 9,
                              .answers = 4,
                              .reading = reading,
                              .attention = "additive(size=5)",
                              .hops = 2,
                              .embedding = 4,
                              .hidden = 6};
  options.encoder = {.height = 8, .width = 8, .channels = 3, .stages = {{4, 3, 2}, {5, 3, 1}}};
  return options;
}

TEST(PictureAsker, ReadsTheImageOrNot) {
  const Sequences questions{Ids::of({2, 3}, {5, 6, 7, 8, 4, 0}), Ids::of({2}, {3, 2})};
  for (const PictureReading reading :
       {PictureReading::attention, PictureReading::mean, PictureReading::nothing}) {
    Random random(1);
    const PictureAsker model(small_asker(reading), random);
    attention::Trace trace;
    const Tensor one = model({wavy({2, 3, 8, 8})}, questions, {.watch = &trace}).value();
    EXPECT_EQ(one.shape(), (Shape{2, 4}));
    const Tensor other = model({wavy({2, 3, 8, 8}, 1)}, questions, {}).value();
    bool same = true;
    for (std::int64_t i = 0; i < one.size(); ++i) same = same && one.data()[i] == other.data()[i];
    EXPECT_EQ(same, reading == PictureReading::nothing);
    EXPECT_EQ(trace.entries().size(), reading == PictureReading::attention ? 2u : 0u);
    // Padding says nothing.
    const Sequences longer{Ids::of({2, 4}, {5, 6, 7, 0, 8, 4, 0, 0}), questions.lengths};
    expect_near(model({wavy({2, 3, 8, 8})}, longer, {}).value(), one, 1e-6);
  }
}

TEST(PictureAsker, ReadsAnImageOnceForAllQuestionsOnIt) {
  const Sequences questions{Ids::of({4, 2}, {5, 6, 7, 8, 4, 5, 6, 0}), Ids::of({4}, {2, 2, 2, 1})};
  const Tensor two = wavy({2, 3, 8, 8});
  Tensor twice({4, 3, 8, 8});
  for (std::int64_t row = 0; row < 4; ++row) {
    std::copy_n(two.data() + row / 2 * 192, 192, twice.mutable_data() + row * 192);
  }
  for (const PictureReading reading :
       {PictureReading::attention, PictureReading::mean, PictureReading::nothing}) {
    Random random(1);
    const PictureAsker model(small_asker(reading), random);
    expect_near(model({two}, questions, {}).value(), model({twice}, questions, {}).value(), 1e-5);
    if (reading == PictureReading::nothing) continue;
    EXPECT_THROW(model({wavy({3, 3, 8, 8})}, questions, {}), UsageError);
  }
}

TEST(PictureAsker, TakesOneHopOrMore) {
  Random random(1);
  PictureAskerOptions options = small_asker(PictureReading::attention);
  options.hops = 0;
  EXPECT_THROW(PictureAsker(options, random), UsageError);
}

}  // namespace
}  // namespace heed::models
