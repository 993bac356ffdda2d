// SPDX-License-Identifier: Apache-2.0
// The yardsticks give rates that a computer can have; the reading pass reads every word.
#include "heed/kernels/measure.h"

#include <gtest/gtest.h>

#include "heed/kernels/testing.h"

namespace heed::kernels {
namespace {

TEST(Measure, FmaRateIsPlausible) {
  const double rate = fma_gflops(0.02);
  EXPECT_GT(rate, 0.1);
  EXPECT_LT(rate, 1000);
}

TEST(Measure, StreamRateIsPlausible) {
  const double rate = stream_gbs(0);
  EXPECT_GT(rate, 0.05);
  EXPECT_LT(rate, 2000);
}

TEST(Measure, TheReadingPassReadsEveryWordOnce) {
  on_every_target([] {
    for (const std::size_t count : {0, 1, 3, 63, 64, 65, 300}) {
      GuardedBuffer<std::uint32_t> words(count);
      std::uint32_t all = 0;
      for (std::size_t i = 0; i < count; ++i) {
        words[i] = static_cast<std::uint32_t>(2654435761u * (i + 1));
        all ^= words[i];
      }
      EXPECT_EQ(read_pass(words.data(), count), all) << count;
    }
  });
}

}  // namespace
}  // namespace heed::kernels
