// SPDX-License-Identifier: Apache-2.0
// FirstException: carries an exception out of a place where none may pass, such as a parallel
// region or a kernel that calls back.
#pragma once

#include <exception>
#include <mutex>

#pragma GCC visibility push(default)  // exported

namespace heed {

class FirstException {
 public:
  // Runs body; what it throws is kept, unless something was thrown before. From any thread.
  template <typename Body>
  void guard(Body&& body) noexcept {
    try {
      body();
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!first_) first_ = std::current_exception();
    }
  }
  // Throws what was kept, if anything was. Called once no thread is inside guard() any more.
  void rethrow() const {
    if (first_) std::rethrow_exception(first_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr first_;
};

}  // namespace heed

#pragma GCC visibility pop
