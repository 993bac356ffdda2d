// SPDX-License-Identifier: Apache-2.0
// Interruption: the first SIGINT or SIGTERM asks to stop, the second kills.
#pragma once

#include <signal.h>

namespace heed::training {

// Catches both signals within its scope, and leaves their handlers as they were. One at a time in a
// process: handlers belong to all of it. A second one inside the first is an InternalError.
class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  bool requested() const noexcept;
  // The name of the signal that came, such as "SIGINT"; empty before.
  const char* signal_name() const noexcept;

 private:
  struct sigaction before_interrupt_ {};
  struct sigaction before_terminate_ {};
};

}  // namespace heed::training
