// SPDX-License-Identifier: Apache-2.0
// EventJob: a long job that tells of itself while it runs, event by event, to whoever streams its
// answer.
#pragma once

#include <deque>
#include <optional>
#include <string>

#include "server/engine/model_job.h"

namespace heed::server {

class EventJob : public ModelJob {
 public:
  using ModelJob::ModelJob;
  bool is_long() const override { return true; }

  // The next event, waiting for it until then; nothing when none has come.
  std::optional<std::string> take_event(Clock::time_point until);

 protected:
  // On the engine's thread.
  void tell(std::string event);

 private:
  std::deque<std::string> events_{};  // guarded by mutex_
};

}  // namespace heed::server
