// SPDX-License-Identifier: Apache-2.0
// Ends of jobs, told across threads.
#include "server/engine/job.h"

namespace heed::server {

void Job::finish(std::exception_ptr error) {
  {
    const std::lock_guard lock(mutex_);
    if (ended_) return;
    ended_ = true;
    error_ = std::move(error);
  }
  changed_.notify_all();
}

bool Job::ended() const {
  const std::lock_guard lock(mutex_);
  return ended_;
}

bool Job::wait_until(Clock::time_point time) const {
  std::unique_lock lock(mutex_);
  return changed_.wait_until(lock, time, [this] { return ended_; });
}

void Job::check() const {
  const std::lock_guard lock(mutex_);
  if (error_) std::rethrow_exception(error_);
}

}  // namespace heed::server
