// SPDX-License-Identifier: Apache-2.0
// Interruption: the first SIGINT or SIGTERM asks to stop, the second kills.
#pragma once

#include <signal.h>

#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace heed::training {

// Catches both signals within its scope, and leaves their handlers as they were. One at a time in a
// process: handlers belong to all of it. A second one inside the first is an InternalError.
//
// On the thread that makes it, the main one as a rule, which is the one that signals of the process
// are delivered to, the handler has a stack of its own: the products of oneDNN move the stack
// pointer into the heap, where the frame of a handler would write over what is not theirs.
//
// Whoever has not called seen() kGraceSeconds after the signal is deaf in one long operation: the
// process ends as if the second signal had come.
class Interruption {
 public:
  // While something is being saved, the grace after a signal does not run out: half a file helps
  // nobody. A second signal still ends the process at once.
  class Saving {
   public:
    Saving() noexcept;
    ~Saving();
    Saving(const Saving&) = delete;
    Saving& operator=(const Saving&) = delete;
  };

  static constexpr double kGraceSeconds = 1.2;

  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  bool requested() const noexcept { return signal() != 0; }
  // The number of the signal that came; 0 before.
  int signal() const noexcept;
  // Its name, such as "SIGINT"; empty before.
  const char* signal_name() const noexcept;
  // For StopScope: not 0 once a signal came.
  const std::atomic<int>& flag() const noexcept;
  // What follows, saving above all, may take its time.
  void seen() const noexcept;

 private:
  struct sigaction before_interrupt_ {};
  struct sigaction before_terminate_ {};
  std::vector<std::byte> stack_;
  stack_t before_stack_{};
  std::thread watcher_;
};

}  // namespace heed::training
