// SPDX-License-Identifier: Apache-2.0
// The convolution score by hand: a key is read with its neighbours, and zeros beyond the ends.
#include <cmath>

#include "heed/attention/scores/testing.h"

namespace heed::attention {
namespace {

using heed::testing::expect_near;
using heed::testing::message_of;

TEST(ConvolutionScore, ReadsAKeyWithItsNeighbours) {
  auto part = made_score("convolution", {{"channels", "1"}, {"activation", "relu"}},
                         {.query_width = 1, .key_width = 1});
  set_parameter(*part, "v", Tensor::of({1}, {1}));
  set_parameter(*part, "F", Tensor::of({1, 1, 3}, {100, 10, 1}));
  set_parameter(*part, "W2", Tensor::of({1, 1}, {1}));
  const Tensor keys = Tensor::of({1, 1, 3, 1}, {1, 2, 3});
  // 10*1 + 2, 100*1 + 10*2 + 3, 100*2 + 10*3, and the query's 1000
  expect_near(first_scores(*part, Tensor::of({1, 1, 1, 1}, {1000}), keys),
              Tensor::of({1, 1, 1, 3}, {1012, 1123, 1230}), 1e-3);
}

TEST(ConvolutionScore, ShowsAKeyThatIsNoNumberInItsOwnScoreOnly) {
  auto part = made_score("convolution", {{"channels", "1"}, {"activation", "relu"}},
                         {.query_width = 1, .key_width = 1});
  set_parameter(*part, "v", Tensor::of({1}, {1}));
  set_parameter(*part, "F", Tensor::of({1, 1, 3}, {100, 10, 1}));
  set_parameter(*part, "W2", Tensor::of({1, 1}, {1}));
  for (const double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    const Tensor keys = Tensor::of({1, 1, 3, 1}, {static_cast<Real>(bad), 2, 3});
    const Tensor scores = first_scores(*part, Tensor::of({1, 1, 1, 1}, {1000}), keys);
    EXPECT_TRUE(std::isnan(scores.at({0, 0, 0, 0})));
    // 10*2 + 3, 100*2 + 10*3
    expect_near(scores.slice(3, 1, 3), Tensor::of({1, 1, 1, 2}, {1023, 1230}), 1e-3);
  }
}

TEST(ConvolutionScore, StartsFromNoKeys) {
  const auto part =
      made_score("convolution", {{"channels", "5"}}, {.query_width = 2, .key_width = 3});
  EXPECT_EQ(part->project(Tensor::zeros({2, 1, 0, 3})).shape(), (Shape{2, 1, 0, 5}));
}

TEST(ConvolutionScore, CannotGrowKeyByKey) {
  EXPECT_FALSE(made_score("convolution", {}, {.query_width = 1, .key_width = 1})->grows());
}

TEST(ConvolutionScore, RefusesAnEvenWidth) {
  EXPECT_EQ(message_of([] {
              made_score("convolution", {{"width", "4"}}, {.query_width = 1, .key_width = 1});
            }),
            "convolution: width 4; an odd one has a middle, such as 5");
}

}  // namespace
}  // namespace heed::attention
