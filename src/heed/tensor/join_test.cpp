// SPDX-License-Identifier: Apache-2.0
#include "heed/tensor/join.h"

#include <gtest/gtest.h>

#include "heed/tensor/testing.h"

namespace heed {
namespace {

using testing::counting;
using testing::message_of;

TEST(Join, ConcatenatesAlongAnyAxis) {
  const std::vector<Tensor> parts{Tensor::of({2, 1}, {1, 2}), Tensor::of({2, 2}, {3, 4, 5, 6})};
  EXPECT_EQ(concat(parts, 1).values(), (std::vector<Real>{1, 3, 4, 2, 5, 6}));
  const std::vector<Tensor> rows{Tensor::of({1, 2}, {1, 2}), Tensor::of({2, 2}, {3, 4, 5, 6})};
  EXPECT_EQ(concat(rows, 0).values(), (std::vector<Real>{1, 2, 3, 4, 5, 6}));
  EXPECT_THROW(concat(parts, 0), UsageError);
  EXPECT_THROW(concat({}, 0), UsageError);
}

TEST(Join, PadsBeforeAndAfter) {
  EXPECT_EQ(pad(Tensor::of({1, 2}, {1, 2}), 1, {1, 2}, 9).values(),
            (std::vector<Real>{9, 1, 2, 9, 9}));
  EXPECT_EQ(pad(Tensor::of({1, 2}, {1, 2}), 0, {0, 1}).values(), (std::vector<Real>{1, 2, 0, 0}));
  EXPECT_THROW(pad(Tensor::zeros({2}), 0, {-1, 0}), UsageError);
}

TEST(Join, GathersAndScattersByIndex) {
  const Tensor x = counting({2, 3});
  const Ids ids = Ids::of({2, 2}, {2, 0, 1, 1});
  EXPECT_EQ(gather(x, 1, ids).values(), (std::vector<Real>{2, 0, 4, 4}));
  EXPECT_EQ(scatter_add(Tensor::of({2, 2}, {1, 2, 3, 4}), 1, ids, {2, 3}).values(),
            (std::vector<Real>{2, 0, 1, 0, 7, 0}));
}

TEST(Join, NamesTheFirstIdOutOfRange) {
  const std::string message = message_of([] {
    gather(counting({2, 3}), 1, Ids::of({2, 2}, {0, 1, 3, 0}));
  });
  EXPECT_NE(message.find("id 3 at position 2"), std::string::npos) << message;
  EXPECT_NE(message.find("0 to 2"), std::string::npos) << message;
  EXPECT_THROW(gather(counting({2, 3}), 1, Ids::of({1, 2}, {0, 1})), UsageError);
  EXPECT_THROW(check_ids(Ids::of({1}, {-1}), 3, "test"), UsageError);
  EXPECT_NO_THROW(check_ids(Ids::of({1}, {-1}), 3, "test", -1));
}

}  // namespace
}  // namespace heed
