// SPDX-License-Identifier: Apache-2.0
#include "heed/tensor/peak_memory.h"

#include <gtest/gtest.h>

#include "heed/tensor/tensor.h"

namespace heed {
namespace {

constexpr std::int64_t kPeakCount = 4 << 20;

TEST(PeakMemory, IsWhatWorkTakesAtMostAndGivesBack) {
  const auto grown = peak_growth([] {
    const Tensor large = Tensor::full({kPeakCount}, 1);
    EXPECT_EQ(large.size(), kPeakCount);
  });
  if (!grown) GTEST_SKIP() << "the system does not tell";
  const auto bytes = static_cast<std::int64_t>(kPeakCount * sizeof(Real));
  EXPECT_GE(*grown, bytes * 9 / 10);
  EXPECT_LT(*grown, bytes * 2);
}

}  // namespace
}  // namespace heed
