// SPDX-License-Identifier: Apache-2.0
// Recognisers of strips: losses of a batch and of strips alone, and what cannot be.
#include "heed/models/strip_recogniser.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/base/error.h"
#include "heed/base/testing.h"
#include "heed/models/strip_testing.h"

namespace heed::models {
namespace {

TEST(StripRecogniser, HasTheLossOfItsStripsAlone) {
  for (const LabelWriting writing : {LabelWriting::ctc, LabelWriting::attention}) {
    for (const char* attention : {"additive(size=5)", "monotonic(size=5)"}) {
      Random random(3);
      const StripRecogniser model({.encoder = {.height = 4, .hidden = 5},
                                   .labels = 3,
                                   .writing = writing,
                                   .attention = attention,
                                   .embedding = 4,
                                   .hidden = 6},
                                  random);
      const StripTensors strips = testing::random_strips({7, 4}, 4, random);
      const StripLabels labels{Ids::of({2, 3}, {0, 2, 2, 1, -1, -1}), Ids::of({2}, {3, 1})};
      double sum = 0;
      for (std::int32_t b = 0; b < 2; ++b) {
        sum += static_cast<double>(model
                                       .loss(testing::strip_alone(strips, b),
                                             {labels.labels.slice(0, b, b + 1).clone(),
                                              labels.counts.slice(0, b, b + 1).clone()},
                                             {})
                                       .item());
      }
      EXPECT_NEAR(static_cast<double>(model.loss(strips, labels, {}).item()), sum, 1e-4);
    }
  }
}

TEST(StripRecogniser, HasAnInfiniteLossWhereCtcHasNoRoom) {
  Random random(3);
  const StripRecogniser model({.encoder = {.height = 4, .hidden = 5}, .labels = 3}, random);
  const StripTensors strips = testing::random_strips({3}, 4, random);
  const auto loss = [&](std::vector<std::int32_t> labels) {
    return model
        .loss(strips, {Ids::of({1, 3}, {labels[0], labels[1], labels[2]}), Ids::of({1}, {3})}, {})
        .item();
  };
  EXPECT_TRUE(std::isfinite(loss({0, 1, 2})));
  EXPECT_TRUE(std::isinf(loss({0, 0, 2})));  // a blank between the two has no state
}

TEST(StripRecogniser, RefusesWhatCannotBe) {
  Random random(3);
  EXPECT_EQ(test::message_of<UsageError>([&] {
              StripRecogniser({.writing = LabelWriting::attention, .attention = "none"}, random);
            }),
            "strip recogniser: a decoder without attention sees no frame; name a mechanism, or "
            "write by ctc");
  EXPECT_THROW(StripRecogniser({.labels = 0}, random), UsageError);
}

TEST(LabelSequences, AreTokensWithAnEnd) {
  const Sequences tokens = label_sequences({Ids::of({2, 2}, {0, 2, 1, -1}), Ids::of({2}, {2, 1})});
  EXPECT_EQ(tokens.lengths.values(), (std::vector<std::int32_t>{3, 2}));
  EXPECT_EQ(tokens.ids.values(), (std::vector<std::int32_t>{4, 6, 3, 5, 3, 0}));
}

}  // namespace
}  // namespace heed::models
