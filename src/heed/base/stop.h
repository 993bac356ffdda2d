// SPDX-License-Identifier: Apache-2.0
// Stopping long work between its parts: who starts it lends a flag, ops look at it, and a flag that
// is set ends the work with an exception that only the lender catches.
//
//   std::atomic<int> asked = 0;  // a signal handler sets it
//   try {
//     const StopScope scope(asked);
//     backward(loss(batch));
//   } catch (const Stopped&) {
//     // as if it had never begun
//   }
#pragma once  // public header

#include <atomic>

#pragma GCC visibility push(default)  // exported

namespace heed {

// What stop_point() throws. Not an Error: nothing is wrong, and whoever made the scope knows why.
struct Stopped {};

// While it lives, stop_point() on this thread asks `flag`, which must outlive it. Scopes nest: the
// innermost is asked.
class StopScope {
 public:
  explicit StopScope(const std::atomic<int>& flag) noexcept;
  ~StopScope();
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;

 private:
  const std::atomic<int>* before_;
};

// Throws Stopped when the flag of this thread's scope is not 0. Two loads where there is none.
void stop_point();

}  // namespace heed

#pragma GCC visibility pop
