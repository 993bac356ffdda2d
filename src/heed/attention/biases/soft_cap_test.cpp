// SPDX-License-Identifier: Apache-2.0
// The soft cap: small scores stay, large ones end at the cap, a masked NaN gets no gradient.
#include <cmath>

#include "heed/attention/biases/testing.h"

namespace heed::attention {
namespace {

using heed::testing::expect_near;

TEST(SoftCap, KeepsSmallScoresAndEndsLargeOnesAtTheCap) {
  const auto part = made_bias("soft_cap", {{"cap", "10"}});
  const BiasRun run{.keys = 4};
  const Tensor scores = Tensor::of({1, 1, 1, 4}, {0.01, 10, -1e30, 5e30});
  const Real middle = static_cast<Real>(10 * std::tanh(1.0));
  expect_near(part->transform(scores, run.call()).value(),
              Tensor::of({1, 1, 1, 4}, {0.01, middle, -10, 10}), 1e-5);
}

TEST(SoftCap, GivesAMaskedNanNoGradient) {
  const auto part = made_bias("soft_cap");
  const BiasRun run{.keys = 2};
  const Variable scores = Variable::leaf(Tensor::of({1, 1, 1, 2}, {static_cast<Real>(NAN), 0}));
  backward(part->transform(scores, run.call()), Tensor::of({1, 1, 1, 2}, {0, 1}));
  expect_near(scores.gradient(), Tensor::of({1, 1, 1, 2}, {0, 1}), 0);
}

}  // namespace
}  // namespace heed::attention
