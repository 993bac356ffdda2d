// SPDX-License-Identifier: Apache-2.0
#include "heed/pipeline/watched.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/pipeline/watched_testing.h"

namespace heed::pipeline {
namespace {

TEST(Watched, SumsLossesAndHitsByRow) {
  const std::vector<std::int64_t> counts = {2, 0, 1};
  const Variable sums = summed_rows(Variable(Tensor::of({3}, {1, 2, 5})), counts);
  EXPECT_EQ(sums.value().values(), (std::vector<Real>{3, 0, 5}));
  EXPECT_THROW(summed_rows(Variable(Tensor::of({4}, {1, 2, 5, 6})), counts), InternalError);
  const Tensor logits = Tensor::of({3, 2}, {1, 0, 0, 1, 3, 2});
  EXPECT_EQ(right_rows(logits, Ids::of({3}, {0, 0, 0}), counts), (std::vector<double>{1, 0, 1}));
}

TEST(Watched, BatchesHoldEveryExampleOnce) {
  const testing::OneUsefulHead data(7);
  const auto batches = data.batches(6);  // three of two tokens
  ASSERT_EQ(batches.size(), 3u);
  std::vector<std::size_t> all;
  for (const auto& batch : batches) all.insert(all.end(), batch.begin(), batch.end());
  std::ranges::sort(all);
  EXPECT_EQ(all, (std::vector<std::size_t>{0, 1, 2, 3, 4, 5, 6}));
  const std::vector<std::size_t> some = {2, 5};
  EXPECT_EQ(data.batches(some), (std::vector<std::vector<std::size_t>>{{2, 5}}));
}

}  // namespace
}  // namespace heed::pipeline
