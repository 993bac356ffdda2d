// SPDX-License-Identifier: Apache-2.0
// A barrier for threads that meet every few microseconds: it spins, and gives way when the machine
// has fewer free cores than threads.
#pragma once

#include <sched.h>

#include <atomic>
#include <cstddef>

namespace heed::kernels {

class SpinBarrier {
 public:
  // How many threads meet. Called before the first of them arrives.
  void expect(std::size_t count) noexcept { count_ = count; }

  // Returns when all have arrived; what each wrote before is visible to all after.
  void wait() noexcept {
    if (count_ < 2) return;
    const std::size_t round = round_.load(std::memory_order_relaxed);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == count_) {
      arrived_.store(0, std::memory_order_relaxed);
      round_.store(round + 1, std::memory_order_release);
      return;
    }
    // Some 20 us of spinning, longer than threads of one step drift apart when all of them run.
    constexpr int kSpins = 1 << 10;
    for (int spins = 0; round_.load(std::memory_order_acquire) == round; ++spins) {
      if (spins < kSpins) {
#if defined(__x86_64__)
        __builtin_ia32_pause();
#endif
      } else {
        sched_yield();
      }
    }
  }

 private:
  std::size_t count_ = 1;
  alignas(64) std::atomic<std::size_t> arrived_{0};
  alignas(64) std::atomic<std::size_t> round_{0};
};

}  // namespace heed::kernels
