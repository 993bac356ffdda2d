// SPDX-License-Identifier: Apache-2.0
// A queue between the engine's thread and the one that answers.
#include "server/engine/event_job.h"

#include <utility>

namespace heed::server {

std::optional<std::string> EventJob::take_event(Clock::time_point until) {
  std::unique_lock lock(mutex_);
  changed_.wait_until(lock, until, [this] { return !events_.empty() || has_ended(); });
  if (events_.empty()) return std::nullopt;
  std::string event = std::move(events_.front());
  events_.pop_front();
  return event;
}

void EventJob::tell(std::string event) {
  {
    const std::lock_guard lock(mutex_);
    events_.push_back(std::move(event));
  }
  changed_.notify_all();
}

}  // namespace heed::server
