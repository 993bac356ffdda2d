// SPDX-License-Identifier: Apache-2.0
// Alibi's slopes, for powers of two and other numbers of heads, and its distances.
#include <cmath>

#include "heed/attention/biases/testing.h"

namespace heed::attention {
namespace {

using heed::testing::expect_near;

// What one key further costs in each head.
std::vector<double> slopes(std::int64_t heads) {
  const Tensor scores = BiasRun{.heads = heads, .queries = 1, .keys = 2}.of(*made_bias("alibi"));
  std::vector<double> all;
  for (std::int64_t h = 0; h < heads; ++h) all.push_back(-scores.at({0, h, 0, 1}));
  return all;
}

TEST(Alibi, HalvesTheSlopeFromHeadToHeadOfEight) {
  const auto eight = slopes(8);
  for (int h = 0; h < 8; ++h) {
    EXPECT_NEAR(eight[static_cast<std::size_t>(h)], std::exp2(-(h + 1)), 1e-7);
  }
}

TEST(Alibi, FillsUpOtherNumbersOfHeadsFromTheNextPowerOfTwo) {
  const auto six = slopes(6);  // the four of four heads, then the first and third of eight
  const double expected[] = {1.0 / 4, 1.0 / 16, 1.0 / 64, 1.0 / 256, 1.0 / 2, 1.0 / 8};
  for (std::size_t h = 0; h < 6; ++h) EXPECT_NEAR(six[h], expected[h], 1e-7);
}

TEST(Alibi, CountsTheDistanceFromTheQuerysOwnPosition) {
  const BiasRun run{.heads = 1, .queries = 2, .keys = 4, .first_query = 2};
  const Real m = static_cast<Real>(std::exp2(-8));
  expect_near(run.of(*made_bias("alibi")),
              Tensor::of({1, 1, 2, 4}, {-2 * m, -m, 0, -m, -3 * m, -2 * m, -m, 0}), 1e-9);
}

TEST(Alibi, KnowsWhichOfAllHeadsItServes) {
  const BiasRun run{.heads = 1, .queries = 1, .keys = 2};
  BiasCall call = run.call();
  call.first_head = 2;
  call.all_heads = 8;
  const Tensor scores = made_bias("alibi")->transform(Tensor::zeros({1, 1, 1, 2}), call).value();
  EXPECT_NEAR(scores.at({0, 0, 0, 1}), -0.125, 1e-7);
}

}  // namespace
}  // namespace heed::attention
