// SPDX-License-Identifier: Apache-2.0
// ConnectionPool: a thread for each connection, started as they are needed and kept, and none for
// those beyond the limit.
#pragma once

#include <httplib.h>

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace heed::server {

class ConnectionPool final : public httplib::TaskQueue {
 public:
  explicit ConnectionPool(std::size_t most) : most_(most) {}

  // Runs on a thread of the pool or, when all are busy, here and now, with refusing() true.
  void enqueue(std::function<void()> serve) override;
  // Waits for all to end.
  void shutdown() override;

  // Whether what runs on this thread is a connection too many.
  static bool refusing();

 private:
  void work();

  const std::size_t most_;
  std::mutex mutex_{};
  std::condition_variable changed_{};
  std::deque<std::function<void()>> waiting_{};
  std::vector<std::thread> threads_{};
  std::size_t idle_ = 0;
  bool stopping_ = false;
};

}  // namespace heed::server
