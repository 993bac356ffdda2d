// SPDX-License-Identifier: Apache-2.0
// Reading and summing by offset, from any first position.
#include "heed/attention/biases/relative.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "heed/tensor/testing.h"

namespace heed::attention {
namespace {

using heed::testing::expect_near;

// Columns 0, 1, 2 for keys before, at and after the query.
Offsets signs(std::int64_t first_query, std::int64_t queries, std::int64_t keys) {
  return Offsets(first_query, queries, keys, 3,
                 [](std::int64_t offset) { return std::clamp<std::int64_t>(offset, -1, 1) + 1; });
}

TEST(Relative, ReadsTheColumnOfEachPairsOffset) {
  const Variable scores(Tensor::full({1, 1, 2, 4}, 100));
  const Variable lines = offset_lines(Variable(Tensor::of({3}, {1, 2, 3})), 1, signs(1, 2, 4));
  expect_near(apply(add_lines(lines, 2), scores).value(),
              Tensor::of({1, 1, 2, 4}, {101, 102, 103, 103, 101, 101, 102, 103}), 0);
}

TEST(Relative, ReadsFromEachQuerysOwnRow) {
  const Variable scores(Tensor::zeros({1, 1, 2, 2}));
  const Variable rows(Tensor::of({1, 1, 2, 3}, {1, 2, 3, 10, 20, 30}));
  expect_near(add_by_offset(scores, rows, signs(0, 2, 2)).value(),
              Tensor::of({1, 1, 2, 2}, {2, 3, 10, 20}), 0);
}

TEST(Relative, SumsTheKeysThatShareAColumn) {
  const Variable weights(Tensor::of({1, 1, 1, 4}, {1, 2, 4, 8}));
  expect_near(sum_by_offset(weights, signs(2, 1, 4)).value(), Tensor::of({1, 1, 1, 3}, {3, 4, 8}),
              0);
}

TEST(Relative, ReadsOneColumnForAllKeysFarBehindTheLast) {
  const Variable scores(Tensor::zeros({1, 1, 1, 2}));
  const Variable lines = offset_lines(Variable(Tensor::of({3}, {1, 2, 3})), 1, signs(9, 1, 2));
  expect_near(apply(add_lines(lines, 1), scores).value(), Tensor::of({1, 1, 1, 2}, {1, 1}), 0);
}

}  // namespace
}  // namespace heed::attention
