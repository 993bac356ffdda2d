// SPDX-License-Identifier: Apache-2.0
// Signal handlers that only note the signal, and give the next one back to the system.
#include "heed/training/interruption.h"

#include <semaphore.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "heed/base/error.h"

namespace heed::training {
namespace {

std::atomic<int> signal_that_came = 0;
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler writes it");
std::atomic<bool> in_use = false;
std::atomic<int> saving = 0;  // scopes of Interruption::Saving
// Semaphores, for a handler may post them.
sem_t came;  // a signal, or the end of the scope
sem_t seen_or_over;

extern "C" void note_signal(int number) {
  signal_that_came = number;
  // signal() may be called in a handler; whichever of the two comes next ends the process.
  ::signal(SIGINT, SIG_DFL);
  ::signal(SIGTERM, SIG_DFL);
  ::sem_post(&came);
}

timespec in_grace_seconds() {
  timespec until{};
  ::clock_gettime(CLOCK_REALTIME, &until);
  const auto nanoseconds = until.tv_nsec + static_cast<long>(1e9 * Interruption::kGraceSeconds);
  until.tv_sec += nanoseconds / 1'000'000'000;
  until.tv_nsec = nanoseconds % 1'000'000'000;
  return until;
}

// The frame holds every register, 11 KB of them on the largest processors so far.
std::size_t handler_stack_bytes() {
  constexpr long kHandler = 64 * 1024;
  return static_cast<std::size_t>(kHandler + std::max(0L, ::sysconf(_SC_MINSIGSTKSZ)));
}

void watch() {
  while (::sem_wait(&came) != 0) {
  }
  const int number = signal_that_came;
  if (number == 0) return;
  timespec until = in_grace_seconds();
  while (::sem_timedwait(&seen_or_over, &until) != 0) {
    if (errno != ETIMEDOUT) continue;
    if (saving == 0) ::kill(::getpid(), number);  // its handler is the system's by now
    until = in_grace_seconds();
  }
}

}  // namespace

Interruption::Interruption() : stack_(handler_stack_bytes()) {
  if (in_use.exchange(true)) {
    throw InternalError("interruption: signals are being watched already; one watcher is enough");
  }
  signal_that_came = 0;
  ::sem_init(&came, 0, 0);
  ::sem_init(&seen_or_over, 0, 0);
  watcher_ = std::thread(watch);
  stack_t stack{};
  stack.ss_sp = stack_.data();
  stack.ss_size = stack_.size();
  ::sigaltstack(&stack, &before_stack_);
  struct sigaction action {};
  action.sa_handler = note_signal;
  ::sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART | SA_ONSTACK;  // reads and writes under way continue
  ::sigaction(SIGINT, &action, &before_interrupt_);
  ::sigaction(SIGTERM, &action, &before_terminate_);
}

Interruption::Saving::Saving() noexcept {
  ++saving;
}

Interruption::Saving::~Saving() {
  --saving;
}

Interruption::~Interruption() {
  ::sigaction(SIGINT, &before_interrupt_, nullptr);
  ::sigaction(SIGTERM, &before_terminate_, nullptr);
  ::sigaltstack(&before_stack_, nullptr);
  ::sem_post(&came);
  ::sem_post(&seen_or_over);
  watcher_.join();
  ::sem_destroy(&came);
  ::sem_destroy(&seen_or_over);
  in_use = false;
}

int Interruption::signal() const noexcept {
  return signal_that_came;
}

const std::atomic<int>& Interruption::flag() const noexcept {
  return signal_that_came;
}

void Interruption::seen() const noexcept {
  ::sem_post(&seen_or_over);
}

const char* Interruption::signal_name() const noexcept {
  switch (signal()) {
    case 0:
      return "";
    case SIGINT:
      return "SIGINT";
    default:
      return "SIGTERM";
  }
}

}  // namespace heed::training
