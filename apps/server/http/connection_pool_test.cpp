// SPDX-License-Identifier: Apache-2.0
#include "server/http/connection_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>

namespace heed::server {
namespace {

TEST(ConnectionPool, RefusesWhatIsBeyondItsThreads) {
  ConnectionPool pool(2);
  std::atomic<bool> go = false;
  std::atomic<int> running = 0, served = 0, refused = 0;
  const auto serve = [&] {
    if (ConnectionPool::refusing()) {
      ++refused;
      return;
    }
    ++running;
    while (!go) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ++served;
  };
  for (int i = 0; i < 5; ++i) pool.enqueue(serve);
  EXPECT_EQ(refused, 3);  // at once, on this thread
  EXPECT_FALSE(ConnectionPool::refusing());
  go = true;
  while (served < 2) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  pool.enqueue(serve);  // a thread rests again
  EXPECT_EQ(refused, 3);
  pool.shutdown();
  EXPECT_EQ(served, 3);
}

TEST(ConnectionPool, FinishesWhatItHasTakenBeforeItEnds) {
  ConnectionPool pool(8);
  std::atomic<int> served = 0;
  for (int i = 0; i < 8; ++i) {
    pool.enqueue([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      ++served;
    });
  }
  pool.shutdown();
  EXPECT_EQ(served, 8);
}

}  // namespace
}  // namespace heed::server
