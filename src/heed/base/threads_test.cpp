// SPDX-License-Identifier: Apache-2.0
// Tests of the thread count and of the division of work.
#include "heed/base/threads.h"

#include <gtest/gtest.h>

#include <omp.h>
#include <atomic>

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "heed/base/error.h"
#include "heed/base/testing.h"

namespace heed {
namespace {

using Part = std::pair<std::size_t, std::size_t>;

std::vector<Part> parts_of(std::size_t count, std::size_t grain) {
  std::vector<Part> parts;
  std::mutex mutex;
  parallel_for(count, grain, [&](std::size_t begin, std::size_t end) {
    const std::lock_guard lock(mutex);
    parts.emplace_back(begin, end);
  });
  std::sort(parts.begin(), parts.end());
  return parts;
}

TEST(Threads, TakeWhatTheVariableAsksForOrRefuseIt) {
  EXPECT_EQ(parse_threads("1"), 1);
  EXPECT_EQ(parse_threads("1024"), 1024);
  for (const char* bad : {"", "0", "-1", "1025", "2.0", "two", " 2", "2 ", "99999999999"}) {
    EXPECT_THROW(parse_threads(bad), UsageError) << bad;
  }
  EXPECT_EQ(test::message_of<UsageError>([] { parse_threads("two"); }),
            "HEED_THREADS is \"two\": it takes a whole number from 1 to 1024");
}

TEST(Threads, HaveAtLeastOneCore) {
  EXPECT_GE(physical_cores(), 1);
  EXPECT_LE(physical_cores(), omp_get_num_procs());
}

TEST(Threads, ChangeForAScopeAndComeBack) {
  const int before = threads();
  {
    const ThreadScope scope(3);
    EXPECT_EQ(threads(), 3);
    tell_openmp_threads();
    EXPECT_EQ(omp_get_max_threads(), 3);
  }
  EXPECT_EQ(threads(), before);
  tell_openmp_threads();
  EXPECT_EQ(omp_get_max_threads(), before);
  EXPECT_THROW(set_threads(0), UsageError);
  EXPECT_THROW(set_threads(1025), UsageError);
  EXPECT_EQ(threads(), before);
}

TEST(ParallelFor, CoversEveryItemOnceAtEverySmallSize) {
  for (const int count : {1, 2, 3}) {
    const ThreadScope scope(count);
    for (std::size_t size = 0; size < 100; ++size) {
      std::size_t next = 0;
      for (const auto& [begin, end] : parts_of(size, 3)) {
        ASSERT_EQ(begin, next) << size << " items, " << count << " threads";
        ASSERT_LT(begin, end);
        next = end;
      }
      ASSERT_EQ(next, size);
    }
  }
}

TEST(ParallelFor, StaysOnTheCallingThreadWhenTheWorkIsSmall) {
  const ThreadScope scope(4);
  const int caller = omp_get_thread_num();
  int calls = 0;
  parallel_for(199, 100, [&](std::size_t begin, std::size_t end) {
    EXPECT_EQ(omp_get_level(), 0) << "no parallel region is opened";
    EXPECT_EQ(omp_get_thread_num(), caller);
    EXPECT_EQ(end - begin, 199u);
    ++calls;
  });
  EXPECT_EQ(calls, 1);
}

TEST(ParallelFor, GivesEveryThreadOnePartOfNearlyEqualSizeOnACacheLine) {
  const ThreadScope scope(3);
  const std::vector<Part> parts = parts_of(10'000, 1);
  ASSERT_EQ(parts.size(), 3u);
  for (const auto& [begin, end] : parts) {
    EXPECT_EQ(begin % 16, 0u);
    EXPECT_NEAR(static_cast<double>(end - begin), 10'000 / 3.0, 16);
  }
}

TEST(ParallelFor, DividesTheSameWorkTheSameWay) {
  const ThreadScope scope(3);
  EXPECT_EQ(parts_of(12'345, 100), parts_of(12'345, 100));
}

TEST(ParallelFor, ThrowsWhatItsBodyThrows) {
  for (const int count : {1, 4}) {
    const ThreadScope scope(count);
    std::atomic<int> calls = 0;
    EXPECT_THROW(parallel_for(1000, 10,
                              [&](std::size_t begin, std::size_t) {
                                ++calls;
                                if (begin == 0) throw UsageError("no");
                              }),
                 UsageError);
    EXPECT_EQ(calls, count) << "the other parts end first";
  }
}

}  // namespace
}  // namespace heed
