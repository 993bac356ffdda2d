// SPDX-License-Identifier: Apache-2.0
// WorkQueue: a bounded line of jobs, from which the engine takes batches of one key.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "server/engine/job.h"
#include "server/serve_options.h"

namespace heed::server {

class WorkQueue {
 public:
  WorkQueue(std::size_t most, BatchLimits batch) : most_(most), batch_(batch) {}

  // False, with nothing done, when it is full or closed.
  bool push(const Job::Pointer& job);
  // Whether push() would be in vain, as far as that can be known.
  bool full();

  // The jobs of the first one's key, in their order, as many as the limit of tokens allows, at
  // least one. Waits for the first, then until it has waited long enough for others or enough have
  // come. Jobs that were cancelled or are past their deadline are ended, not given. Nothing when it
  // is closed and empty, and when wake() was called.
  std::vector<Job::Pointer> take();
  // The same without any wait.
  std::vector<Job::Pointer> take_at_once();

  // Makes a waiting take() return.
  void wake();
  // Nothing comes any more; what is there is still given.
  void close();
  bool closed() const;
  std::size_t size() const;
  std::map<std::string, std::size_t> waiting() const;  // how many for each model

 private:
  void drop_dead();
  std::int64_t ready_tokens() const;  // of the first one's key
  std::vector<Job::Pointer> cut();

  const std::size_t most_;
  const BatchLimits batch_;
  mutable std::mutex mutex_{};
  std::condition_variable changed_{};
  std::deque<Job::Pointer> jobs_{};
  bool closed_ = false;
  bool woken_ = false;
};

}  // namespace heed::server
