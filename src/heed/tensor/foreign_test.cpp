// SPDX-License-Identifier: Apache-2.0
// Tensors over memory of the caller's: views without a copy, their owner, and what is refused.
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "heed/base/error.h"
#include "heed/tensor/allocator.h"
#include "heed/tensor/arithmetic.h"
#include "heed/tensor/matmul.h"
#include "heed/tensor/testing.h"

namespace heed {
namespace {

using testing::counting;
using testing::expect_near;
using testing::message_of;

TEST(ForeignTensor, SeesTheCallersElementsWithoutACopy) {
  std::vector<Real> mine = {0, 1, 2, 3, 4, 5};
  const Tensor x = Tensor::over(std::as_const(mine).data(), {2, 3});
  EXPECT_EQ(x.data(), mine.data());
  EXPECT_TRUE(x.contiguous());
  mine[4] = 40;
  EXPECT_EQ(x.at({1, 1}), 40);
  EXPECT_EQ(x.transpose().slice(0, 1, 3).values(), (std::vector<Real>{1, 40, 2, 5}));
  expect_near(x + x, Tensor::of({2, 3}, {0, 2, 4, 6, 80, 10}), 0);
}

TEST(ForeignTensor, FollowsStridesInAnyOrder) {
  const std::vector<Real> rows = counting({4, 5}).values();
  const Tensor part = Tensor::over(rows.data() + 1, {4, 3}, {5, 1});
  EXPECT_FALSE(part.contiguous());
  expect_near(part, counting({4, 5}).slice(1, 1, 4), 0);
  const Tensor columns = Tensor::over(rows.data(), {5, 4}, {1, 5});
  expect_near(columns, counting({4, 5}).transpose(), 0);
  expect_near(matmul(part, columns.slice(0, 0, 3)),
              matmul(part.clone(), columns.slice(0, 0, 3).clone()), 1e-4);
  // Elements that repeat, and a single one, whose strides mean nothing.
  expect_near(Tensor::over(rows.data(), {3, 2}, {0, 1}), Tensor::of({3, 2}, {0, 1, 0, 1, 0, 1}), 0);
  EXPECT_EQ(Tensor::over(rows.data() + 7, {1, 1}, {0, 0}).item(), 7);
  EXPECT_EQ(Tensor::over(rows.data() + 7, {}).item(), 7);
  const std::array<std::int32_t, 3> ids = {7, 8, 9};
  EXPECT_EQ(Ids::over(ids.data(), {3}).values(), (std::vector<std::int32_t>{7, 8, 9}));
}

TEST(ForeignTensor, WritesToTheCallersElementsWhereTheyMayBeWritten) {
  std::vector<Real> mine(6, 1);
  Tensor x = Tensor::over(mine.data(), {3}, {2});
  x.assign(Tensor::of({3}, {5, 6, 7}));
  EXPECT_EQ(mine, (std::vector<Real>{5, 1, 6, 1, 7, 1}));
}

TEST(ForeignTensor, RefusesWritesToMemoryThatMayOnlyBeRead) {
  const std::vector<Real> mine(3, 1);
  Tensor x = Tensor::over(mine.data(), {3});
  const std::string message = message_of([&] { x.mutable_data(); });
  EXPECT_NE(message.find("may only be read; clone()"), std::string::npos) << message;
  EXPECT_THROW(x.assign(Tensor::zeros({3})), UsageError);
  EXPECT_THROW(x.slice(0, 1, 2).assign(Tensor::zeros({1})), UsageError);
  EXPECT_EQ(mine, std::vector<Real>(3, 1));
  Tensor own = x.clone();
  own.mutable_data()[0] = 2;
}

TEST(ForeignTensor, IsNeverUsedUpByAnOp) {
  std::vector<Real> mine(3, 1);
  EXPECT_FALSE(Tensor::over(mine.data(), {3}).unique());
  EXPECT_FALSE(Tensor::over(std::as_const(mine).data(), {3}).unique());
}

TEST(ForeignTensor, HoldsItsOwnerUntilTheLastViewIsGone) {
  int let_go = 0;
  Tensor view;
  {
    auto block = std::make_shared<std::vector<Real>>(6, Real(3));
    const Real* data = block->data();
    const std::shared_ptr<const void> owner(data, [&let_go, block](const void*) { ++let_go; });
    const Tensor x = Tensor::over(data, {2, 3}, {}, owner);
    block.reset();
    view = x.select(0, 1);
  }
  EXPECT_EQ(let_go, 0);
  EXPECT_EQ(view.values(), std::vector<Real>(3, 3));
  std::thread([moved = std::move(view)] {}).join();
  EXPECT_EQ(let_go, 1);
}

TEST(ForeignTensor, LetsGoOfItsOwnerWhenItIsRefused) {
  const auto block = std::make_shared<std::vector<Real>>(6);
  EXPECT_THROW(Tensor::over(std::as_const(*block).data(), {2, 3}, {1}, block), UsageError);
  EXPECT_EQ(block.use_count(), 1);
}

TEST(ForeignTensor, RefusesWhatIsNoTensor) {
  std::vector<Real> mine(100);
  Real* const data = mine.data();
  const Real* const read = data;
  Real* const null = nullptr;
  for (const auto& [expected, use] : std::vector<std::pair<std::string, std::function<void()>>>{
           {"over: null for shape [2]; it takes the address of 2 elements",
            [&] { Tensor::over(null, {2}); }},
           {"over: 1 strides for shape [2,3]; it takes one per axis",
            [&] {
              Tensor::over(read, {2, 3}, {1});
            }},
           {"over: stride -1 of axis 0 of shape [3]; it takes 0 or more",
            [&] { Tensor::over(read, {3}, {-1}); }},
           {"over: strides [2,1] give two elements of shape [2,3] one place; each axis takes the "
            "reach of the smaller ones or more",
            [&] {
              Tensor::over(read, {2, 3}, {2, 1});
            }},
           {"over: strides [0] give two elements of shape [3] one place; 0 is for memory that is "
            "only read",
            [&] { Tensor::over(data, {3}, {0}); }},
           {"over: strides [4611686018427387904,1] of shape [4,2] reach further than any memory",
            [&] {
              Tensor::over(read, {4, 2}, {std::int64_t{1} << 62, 1});
            }}}) {
    EXPECT_EQ(message_of(use), expected);
  }
  const auto* odd = reinterpret_cast<const Real*>(reinterpret_cast<const char*>(read) + 1);
  EXPECT_NE(message_of([&] { Tensor::over(odd, {2}); }).find("is not aligned"), std::string::npos);
  EXPECT_THROW(Tensor::over(read, {1, 1, 1, 1, 1, 1, 1}), UsageError);
  EXPECT_EQ(Tensor::over(null, {0, 3}).size(), 0);  // nothing is looked at
}

// The header of storage that is Heed's own has not become larger, nor its blocks.
TEST(ForeignTensor, CostsTensorsOfTheirOwnNothing) {
  static_assert(sizeof(Storage) == 64);
  release_cached_blocks();
  const auto before = allocator_statistics().system_calls;
  { const Tensor x({16}); }
  { const Tensor x({16}); }
  EXPECT_EQ(allocator_statistics().system_calls, before + 1);
}

}  // namespace
}  // namespace heed
