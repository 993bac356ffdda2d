// SPDX-License-Identifier: Apache-2.0
// Given numbers are added; one row of the batch or one head may serve all; other shapes are
// refused.
#include "heed/attention/biases/testing.h"

namespace heed::attention {
namespace {

using heed::testing::expect_near;
using heed::testing::message_of;

TEST(TensorBias, AddsTheGivenNumbersToEveryHead) {
  const BiasRun run{.heads = 2, .queries = 1, .keys = 2};
  BiasCall call = run.call();
  call.given = Tensor::of({1, 1, 1, 2}, {0.5, -1});
  expect_near(made_bias("tensor")->transform(Tensor::full({1, 2, 1, 2}, 3), call).value(),
              Tensor::of({1, 2, 1, 2}, {3.5, 2, 3.5, 2}), 0);
}

TEST(TensorBias, TakesTheHeadsOfItsGroupOutOfAll) {
  const BiasRun run{.heads = 1, .queries = 1, .keys = 1};
  BiasCall call = run.call();
  call.first_head = 2;
  call.all_heads = 3;
  call.given = Tensor::of({1, 3, 1, 1}, {1, 2, 4});
  expect_near(made_bias("tensor")->transform(Tensor::zeros({1, 1, 1, 1}), call).value(),
              Tensor::of({1, 1, 1, 1}, {4}), 0);
}

TEST(TensorBias, SaysWhatShapeItWants) {
  const BiasRun run{.heads = 2, .queries = 1, .keys = 2};
  const auto part = made_bias("tensor");
  EXPECT_EQ(message_of([&] { run.of(*part); }),
            "tensor: no numbers were given; it takes a bias of shape [1,2,1,2]");
  BiasCall call = run.call();
  call.given = Tensor::zeros({1, 2, 1, 3});
  EXPECT_EQ(message_of([&] {
              part->transform(Tensor::zeros({1, 2, 1, 2}), call);
            }),
            "tensor: a bias of shape [1,2,1,3]; the scores are [1,2,1,2], and batch and heads may "
            "be 1");
}

}  // namespace
}  // namespace heed::attention
