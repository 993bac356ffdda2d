// SPDX-License-Identifier: Apache-2.0
// Signal handlers that only note the signal, and give the next one back to the system.
#include "heed/training/interruption.h"

#include <atomic>

#include "heed/base/error.h"

namespace heed::training {
namespace {

volatile sig_atomic_t signal_that_came = 0;
std::atomic<bool> in_use = false;

extern "C" void note_signal(int number) {
  signal_that_came = number;
  // signal() may be called in a handler; whichever of the two comes next ends the process.
  ::signal(SIGINT, SIG_DFL);
  ::signal(SIGTERM, SIG_DFL);
}

}  // namespace

Interruption::Interruption() {
  if (in_use.exchange(true)) {
    throw InternalError("interruption: signals are being watched already; one watcher is enough");
  }
  signal_that_came = 0;
  struct sigaction action {};
  action.sa_handler = note_signal;
  ::sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;  // reads and writes under way continue
  ::sigaction(SIGINT, &action, &before_interrupt_);
  ::sigaction(SIGTERM, &action, &before_terminate_);
}

Interruption::~Interruption() {
  ::sigaction(SIGINT, &before_interrupt_, nullptr);
  ::sigaction(SIGTERM, &before_terminate_, nullptr);
  in_use = false;
}

bool Interruption::requested() const noexcept {
  return signal_that_came != 0;
}

const char* Interruption::signal_name() const noexcept {
  switch (signal_that_came) {
    case 0:
      return "";
    case SIGINT:
      return "SIGINT";
    default:
      return "SIGTERM";
  }
}

}  // namespace heed::training
