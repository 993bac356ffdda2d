// SPDX-License-Identifier: Apache-2.0
#include "heed/attention/compose/query_or.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/testing.h"
#include "heed/tensor/testing.h"

namespace heed::attention {
namespace {

TEST(QueryOr, IsANumberOrTheQuery) {
  QueryOr value{.number = 1};
  EXPECT_EQ(value.text(), "1");
  value.read("query");
  EXPECT_TRUE(value.by_query);
  EXPECT_EQ(value.text(), "query");
  value.read("-2.5");
  EXPECT_FALSE(value.by_query);
  EXPECT_EQ(value.number, -2.5);
  for (const char* wrong : {"keys", "", "1.5.2", "nan"}) {
    EXPECT_THROW(value.read(wrong), UsageError) << wrong;
  }
}

TEST(QueryControl, IsLinearInTheQueryForEachHead) {
  Random random(1);
  QueryControl control;
  control.build(2, 3, 2, random);
  control.W = Variable(Tensor::of({2, 2, 3}, {1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1}));
  control.b = Variable(Tensor::of({2, 2}, {0, 10, 20, 30}));
  const Variable query = Tensor::of({1, 2, 1, 3}, {1, 2, 3, 4, 5, 6});
  heed::testing::expect_near(control(query).value(), Tensor::of({1, 2, 1, 2}, {1, 12, 26, 45}),
                             1e-6);
}

}  // namespace
}  // namespace heed::attention
