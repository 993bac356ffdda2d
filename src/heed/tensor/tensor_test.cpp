// SPDX-License-Identifier: Apache-2.0
#include "heed/tensor/tensor.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <fstream>
#include <functional>
#include <mutex>
#include <numeric>
#include <thread>

#include "heed/base/error.h"
#include "heed/tensor/memory_use.h"
#include "heed/tensor/testing.h"

namespace heed {
namespace {

using testing::counting;
using testing::message_of;

TEST(Tensor, IsRefusedByNameWhereItIsNotDefined) {
  const Tensor none;
  for (const auto& [op, use] : std::vector<std::pair<std::string, std::function<void()>>>{
           {"clone", [&] { none.clone(); }},
           {"item", [&] { none.item(); }},
           {"at", [&] { none.at({}); }},
           {"view",
            [&] {
              none.expand({2, 3});
            }},
           {"view", [&] { none.unsqueeze(0); }},
           {"assign", [&] { Tensor::scalar(1).assign(none); }},
           {"assign", [&] { Tensor().assign(Tensor::scalar(1)); }}}) {
    const std::string message = message_of(use);
    EXPECT_EQ(message.substr(0, op.size() + 1), op + ":") << message;
    EXPECT_NE(message.find("not defined"), std::string::npos) << message;
  }
}

TEST(Tensor, CountsAxesOfStridesFromTheEndToo) {
  const Tensor x = counting({2, 3});
  EXPECT_EQ(x.stride(-1), 1);
  EXPECT_EQ(x.stride(-2), 3);
  EXPECT_THROW(x.stride(2), UsageError);
}

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

// The resident memory of this process.
std::int64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::int64_t pages = 0;
  file >> pages >> pages;
  return pages * sysconf(_SC_PAGESIZE);
}

TEST(Allocator, KeepsLittleOfWhatOtherThreadsHaveMade) {
  constexpr std::int64_t kMebibyte = std::int64_t{1} << 20;
  constexpr int kTensors = 10000;
  const std::int64_t before = resident_bytes();
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Tensor> handed;  // at most four at once
  std::thread consumer([&] {
    for (int i = 0; i < kTensors; ++i) {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return !handed.empty(); });
      const Tensor taken = std::move(handed.front());
      handed.pop_front();
      lock.unlock();
      changed.notify_one();
      EXPECT_EQ(*taken.data(), static_cast<Real>(i));
    }
    EXPECT_EQ(allocator_statistics().bytes_cached, 0u) << "this thread has used none itself";
  });
  std::int64_t most = 0;
  for (int i = 0; i < kTensors; ++i) {
    Tensor made(Shape{kMebibyte / static_cast<std::int64_t>(sizeof(Real))});
    *made.mutable_data() = static_cast<Real>(i);
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return handed.size() < 4; });
    handed.push_back(std::move(made));
    lock.unlock();
    changed.notify_one();
    if (i % 100 == 0) most = std::max(most, resident_bytes() - before);
  }
  consumer.join();
  most = std::max(most, resident_bytes() - before);
#ifndef HEED_CHECK_VERSIONS  // the sanitizers keep freed memory for a while
  EXPECT_LE(most, 64 * kMebibyte);
#endif
}

TEST(Allocator, ServesAThreadThatConsumesAndComputesFromItsOwnBlocks) {
  // A trainer fed by a loader: each step frees a tensor of the loader's and makes its own again.
  std::uint64_t calls_of_last_steps = 1;
  std::thread([&] {
    for (int step = 0; step < 30; ++step) {
      const std::uint64_t before = allocator_statistics().system_calls;
      Tensor fed;
      std::thread([&fed] { fed = Tensor::zeros({1 << 18}); }).join();
      std::vector<Tensor> own;
      for (int i = 0; i < 20; ++i) own.push_back(Tensor::zeros({1 << 20}));
      if (step == 5) calls_of_last_steps = 0;
      if (step > 5) calls_of_last_steps += allocator_statistics().system_calls - before;
    }
  }).join();
  EXPECT_EQ(calls_of_last_steps, 0u);
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

// Sizes that nobody asks for any more make room for those of a step, not these for each other.
TEST(Allocator, KeepsWhatAStepAsksForAgainThoughOtherSizesFillIt) {
  std::uint64_t calls = 0;
  std::thread([&calls] {
    constexpr std::size_t kMegabyte = std::size_t{1} << 20;
    std::vector<void*> stale;
    for (int i = 0; i < 512; ++i) stale.push_back(allocate(kMegabyte / 8));
    for (void* const block : stale) release(block, kMegabyte / 8);
    const auto step = [] {
      for (const std::size_t size : {30 * kMegabyte, 35 * kMegabyte, 40 * kMegabyte}) {
        release(allocate(size), size);
      }
    };
    step();
    const std::uint64_t before = allocator_statistics().system_calls;
    for (int steady = 0; steady < 3; ++steady) step();
    calls = allocator_statistics().system_calls - before;
  }).join();
  EXPECT_EQ(calls, 0u);
}

}  // namespace
}  // namespace heed
