// SPDX-License-Identifier: Apache-2.0
#include "heed/tensor/tensor.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>

#include "heed/base/error.h"
#include "heed/tensor/memory_use.h"
#include "heed/tensor/testing.h"

namespace heed {
namespace {

using testing::counting;
using testing::message_of;

TEST(Shape, KnowsItsSizeAndText) {
  EXPECT_EQ((Shape{2, 3, 4}).size(), 24);
  EXPECT_EQ((Shape{2, 0, 4}).size(), 0);
  EXPECT_EQ(Shape{}.size(), 1);
  EXPECT_EQ((Shape{2, 3}).text(), "[2,3]");
}

TEST(Shape, RefusesNegativeTooManyAndTooLargeSizes) {
  EXPECT_THROW((Shape{2, -1}), UsageError);
  EXPECT_THROW((Shape{1, 1, 1, 1, 1, 1, 1}), UsageError);
  EXPECT_THROW((Shape{std::int64_t{1} << 40, std::int64_t{1} << 40}), UsageError);
}

TEST(Shape, InsertsAndRemovesAxes) {
  EXPECT_EQ((Shape{2, 3}).inserted(1, 7), (Shape{2, 7, 3}));
  EXPECT_EQ((Shape{2, 3}).then(7), (Shape{2, 3, 7}));
  EXPECT_EQ((Shape{2, 3, 4}).without(0), (Shape{3, 4}));
  EXPECT_EQ((Shape{2, 3, 4}).with(1, 9), (Shape{2, 9, 4}));
}

TEST(Shape, BroadcastsFromTheLastAxis) {
  EXPECT_EQ(broadcast({2, 3}, {3}, "test"), (Shape{2, 3}));
  EXPECT_EQ(broadcast({4, 1}, {2, 1, 5}, "test"), (Shape{2, 4, 5}));
  EXPECT_EQ(broadcast({}, {2}, "test"), (Shape{2}));
  EXPECT_EQ(broadcast({0}, {1}, "test"), (Shape{0}));
}

TEST(Shape, NamesOpBothShapesAndTheRemedyWhenShapesDoNotBroadcast) {
  const std::string message = message_of([] { broadcast({2, 3}, {2}, "add"); });
  for (const char* part : {"add", "[2,3]", "[2]", "3 and 2", "equal, or one of them 1"}) {
    EXPECT_NE(message.find(part), std::string::npos) << message;
  }
  // The order of the sizes follows the order of the shapes.
  EXPECT_NE(message_of([] { broadcast({2}, {2, 3}, "add"); }).find("2 and 3"), std::string::npos);
}

TEST(Tensor, HoldsItsElementsAlignedTo64Bytes) {
  for (std::int64_t size : {1, 2, 15, 17, 1000}) {
    const Tensor x(Shape{size});
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(x.data()) % 64, 0u);
  }
}

TEST(Tensor, CopiesShareElementsAndClonesDoNot) {
  Tensor x = Tensor::of({3}, {1, 2, 3});
  const Tensor shared = x;
  const Tensor cloned = x.clone();
  x.mutable_data()[0] = 9;
  EXPECT_EQ(shared.at({0}), 9);
  EXPECT_EQ(cloned.at({0}), 1);
  EXPECT_FALSE(x.unique());
  EXPECT_TRUE(cloned.unique());
}

TEST(Tensor, CountsWritesForEveryView) {
  Tensor x = Tensor::zeros({4});
  const Tensor view = x.slice(0, 1, 3);
  const std::uint32_t before = view.version();
  x.mutable_data();
  EXPECT_EQ(view.version(), before + 1);
}

TEST(Tensor, ViewsSeeTheRightElements) {
  const Tensor x = counting({2, 3, 4});
  EXPECT_EQ(x.transpose().at({1, 3, 2}), x.at({1, 2, 3}));
  EXPECT_EQ(x.permute({2, 0, 1}).at({3, 1, 2}), x.at({1, 2, 3}));
  EXPECT_EQ(x.slice(2, 1, 4, 2).values(),
            (std::vector<Real>{1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23}));
  EXPECT_EQ(x.select(1, 2).values(), (std::vector<Real>{8, 9, 10, 11, 20, 21, 22, 23}));
  EXPECT_EQ(x.unsqueeze(-1).shape(), (Shape{2, 3, 4, 1}));
  EXPECT_EQ(x.unsqueeze(0).squeeze(0).shape(), x.shape());
  EXPECT_EQ(Tensor::of({2, 1}, {5, 6}).expand({2, 3}).values(),
            (std::vector<Real>{5, 5, 5, 6, 6, 6}));
}

TEST(Tensor, ReshapesByViewWhereItCanAndByCopyElse) {
  const Tensor x = counting({2, 6});
  EXPECT_EQ(x.reshape({3, 4}).data(), x.data());
  EXPECT_EQ(x.reshape({-1, 4}).shape(), (Shape{3, 4}));
  const Tensor turned = x.transpose();
  EXPECT_NE(turned.reshape({12}).data(), x.data());
  EXPECT_EQ(turned.reshape({12}).values(), turned.values());
}

TEST(Tensor, PacksEveryKindOfView) {
  const Tensor x = counting({5, 7, 3});
  const Tensor view = x.transpose(0, 2).slice(1, 1, 7, 2);
  EXPECT_FALSE(view.contiguous());
  const Tensor straight = view.packed();
  EXPECT_TRUE(straight.contiguous());
  for (std::int64_t i = 0; i < 3; ++i) {
    for (std::int64_t j = 0; j < 3; ++j) {
      for (std::int64_t k = 0; k < 5; ++k)
        EXPECT_EQ(straight.at({i, j, k}), x.at({k, 1 + 2 * j, i}));
    }
  }
}

TEST(Tensor, AssignsIntoViews) {
  Tensor x = Tensor::zeros({2, 3});
  x.slice(1, 1, 3).assign(Tensor::of({2, 2}, {1, 2, 3, 4}));
  EXPECT_EQ(x.values(), (std::vector<Real>{0, 1, 2, 0, 3, 4}));
  EXPECT_THROW(x.assign(Tensor::zeros({3, 2})), UsageError);
}

TEST(Tensor, AcceptsEmptyShapes) {
  const Tensor x = Tensor::zeros({3, 0});
  EXPECT_EQ(x.size(), 0);
  EXPECT_TRUE(x.transpose().contiguous());
  EXPECT_EQ(x.reshape({0, 5}).shape(), (Shape{0, 5}));
  EXPECT_TRUE(x.values().empty());
}

TEST(Tensor, RefusesWhatDoesNotFit) {
  const Tensor x = counting({2, 3});
  EXPECT_THROW(x.reshape({4}), UsageError);
  EXPECT_THROW(x.reshape({4, -1}), UsageError);
  EXPECT_THROW(x.reshape({-1, -1}), UsageError);
  EXPECT_THROW(x.slice(0, 1, 3), UsageError);
  EXPECT_THROW(x.slice(0, 1, 2, 0), UsageError);
  EXPECT_THROW(x.select(1, 3), UsageError);
  EXPECT_THROW(x.transpose(0, 2), UsageError);
  EXPECT_THROW(x.permute({0, 0}), UsageError);
  EXPECT_THROW(x.permute({0}), UsageError);
  EXPECT_THROW(x.expand({2, 4}), UsageError);
  EXPECT_THROW(x.expand({3}), UsageError);
  EXPECT_THROW(x.squeeze(0), UsageError);
  EXPECT_THROW(x.item(), UsageError);
  EXPECT_THROW(x.at({0}), UsageError);
  EXPECT_THROW(x.at({0, 3}), UsageError);
  EXPECT_THROW(Tensor::of({2}, {1, 2, 3}), UsageError);
}

TEST(Ids, AreTensorsOfWholeNumbers) {
  const Ids ids = Ids::of({2, 2}, {1, 2, 3, 4});
  EXPECT_EQ(ids.transpose().values(), (std::vector<std::int32_t>{1, 3, 2, 4}));
  EXPECT_EQ(Ids::full({3}, 7).values(), (std::vector<std::int32_t>{7, 7, 7}));
}

TEST(Allocator, ReusesBlocksAndAsksTheSystemNoMore) {
  { const Tensor warm(Shape{1000}); }
  const std::uint64_t before = allocator_statistics().system_calls;
  for (int i = 0; i < 100; ++i) const Tensor x(Shape{990});  // of the same size class
  EXPECT_EQ(allocator_statistics().system_calls, before);
}

TEST(Allocator, GivesDistinctBlocksOfTheSizeAskedFor) {
  std::vector<Tensor> held;
  for (std::int64_t size = 1; size < 300; ++size) {
    held.push_back(Tensor::full({size}, static_cast<Real>(size)));
  }
  for (const Tensor& x : held) {
    for (const Real value : x.values()) ASSERT_EQ(value, static_cast<Real>(x.size()));
  }
}

TEST(MemoryUse, CountsWhatIsAliveAndTheMostThatWas) {
  start_memory_peak();
  const MemoryUse before = memory_use();
  EXPECT_EQ(before.most_bytes, before.bytes);
  const std::int64_t bytes = 100000 * sizeof(Real);
  {
    const Tensor first({100000});
    EXPECT_GE(memory_use().bytes - before.bytes, bytes);
    EXPECT_LE(memory_use().bytes - before.bytes, bytes + bytes / 4 + 128);
    const Tensor second({100000});
    EXPECT_GE(memory_use().bytes - before.bytes, 2 * bytes);
  }
  EXPECT_EQ(memory_use().bytes, before.bytes);
  EXPECT_GE(memory_use().most_bytes - before.bytes, 2 * bytes);
  start_memory_peak();
  EXPECT_EQ(memory_use().most_bytes, before.bytes);
}

TEST(MemoryLimit, RefusesWhatWouldTakeMore) {
  const MemoryUse before = memory_use();
  {
    const MemoryLimit limit(100000 * sizeof(Real));
    const Tensor small(Shape{50000});
    EXPECT_THROW(Tensor(Shape{100000}), std::bad_alloc);
    EXPECT_LE(memory_use().bytes - before.bytes, std::int64_t{100000 * sizeof(Real)});
  }
  const Tensor large(Shape{200000});
  EXPECT_EQ(large.size(), 200000);
}

TEST(Allocator, CountsNothingForWhatThereIsNoMemoryFor) {
  const MemoryUse before = memory_use();
  EXPECT_THROW(Tensor(Shape{1 << 20, 1 << 20, 1 << 19}), std::bad_alloc);
  EXPECT_EQ(memory_use().bytes, before.bytes);
  EXPECT_THROW(Shape({std::int64_t{1} << 31, std::int64_t{1} << 31}), UsageError);
}

TEST(Allocator, GivesMemoryBackWhenAsked) {
  { const Tensor x(Shape{100000}); }
  EXPECT_GE(allocator_statistics().bytes_cached, 100000 * sizeof(Real));
  release_cached_blocks();
  EXPECT_EQ(allocator_statistics().bytes_cached, 0u);
}

}  // namespace
}  // namespace heed
