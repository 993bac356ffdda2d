// SPDX-License-Identifier: Apache-2.0
// Softmax: golden vectors, the worked examples, the temperature.
#include <gtest/gtest.h>

#include "heed/attention/testing.h"

namespace heed::attention {
namespace {

TEST(Softmax, AgreesWithTheGoldenVectors) {
  expect_golden(*normaliser("softmax"), golden().at("softmax"));
}

TEST(Softmax, GivesTheWorkedExamples) {
  const auto part = normaliser("softmax");
  expect_all_near(weights_of(*part, {-2, 0, 0.5}), {0.0486, 0.3592, 0.5922}, 5e-5);
  // Scores 112 and 96 over the root of width 64.
  expect_all_near(weights_of(*part, {112.0 / 8, 96.0 / 8}), {0.88, 0.12}, 1e-3);
}

TEST(Softmax, DividesScoresByTheTemperature) {
  const auto part = normaliser("softmax", {{"temperature", "2"}});
  expect_all_near(weights_of(*part, {-4, 0, 1}), weights_of(*normaliser("softmax"), {-2, 0, 0.5}),
                  1e-15);
}

TEST(Softmax, RefusesATemperatureOfZero) {
  EXPECT_THROW(normaliser("softmax", {{"temperature", "0"}}), UsageError);
}

}  // namespace
}  // namespace heed::attention
