// SPDX-License-Identifier: Apache-2.0
#include "cli/bench/layer_kinds.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "heed/base/error.h"
#include "heed/nn/initialisers.h"

namespace heed::cli {
namespace {

const LayerKind& kind(std::string_view begins) {
  return *std::ranges::find_if(layer_kinds(),
                               [&](const LayerKind& k) { return k.name.starts_with(begins); });
}

TEST(LayerKinds, CountTheStepsThatWaitForEachOther) {
  for (const char* name : {"self-attention", "the same", "convolutional", "windowed"}) {
    EXPECT_EQ(sequential_steps(kind(name), 20), sequential_steps(kind(name), 40)) << name;
  }
  // Each position of a recurrent layer waits for the one before: a product and a step.
  EXPECT_EQ(sequential_steps(kind("recurrent"), 40) - sequential_steps(kind("recurrent"), 20), 40);
}

TEST(LayerKinds, CountTheStepsBetweenTheFirstPositionAndTheLast) {
  EXPECT_EQ(longest_path(kind("self-attention"), 64), 1);
  EXPECT_EQ(longest_path(kind("the same"), 64), 1);
  EXPECT_EQ(longest_path(kind("recurrent"), 64), 64);
  // Layers of width 3 reach 1, 4, 13, 40, 121 positions back.
  EXPECT_EQ(longest_path(kind("convolutional"), 41), 4);
  EXPECT_EQ(longest_path(kind("convolutional"), 42), 5);
  EXPECT_EQ(longest_path(kind("windowed"), 65), 4);
  EXPECT_EQ(longest_path(kind("windowed"), 129), 8);
}

TEST(LayerKinds, GiveTheSameStepByStepAsAtOnce) {
  const LayerKind& recurrent = kind("recurrent");
  Random once(5), steps(5), noise(6);
  const Variable x(nn::normal({1, 7, 8}, noise));
  const Tensor a = recurrent.make(8, 0, once)(x).value().packed();
  const Tensor b = recurrent.make_steps(8, 0, steps)(x).value().packed();
  ASSERT_EQ(a.shape(), b.shape());
  for (std::int64_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a.data()[i], b.data()[i], 1e-6);
}

TEST(FittedExponent, IsThatOfAPowerLaw) {
  EXPECT_NEAR(fitted_exponent(std::vector{1.0, 2.0, 4.0}, std::vector{3.0, 12.0, 48.0}), 2, 1e-12);
  EXPECT_THROW(fitted_exponent(std::vector{1.0}, std::vector{1.0}), UsageError);
  EXPECT_THROW(fitted_exponent(std::vector{1.0, 2.0}, std::vector{0.0, 1.0}), UsageError);
}

}  // namespace
}  // namespace heed::cli
