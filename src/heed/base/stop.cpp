// SPDX-License-Identifier: Apache-2.0
// One flag for each thread, so that work of other threads is not stopped with it.
#include "heed/base/stop.h"

#include <utility>

namespace heed {
namespace {

thread_local const std::atomic<int>* asked = nullptr;

}  // namespace

StopScope::StopScope(const std::atomic<int>& flag) noexcept
    : before_(std::exchange(asked, &flag)) {}

StopScope::~StopScope() {
  asked = before_;
}

void stop_point() {
  if (asked != nullptr && asked->load(std::memory_order_relaxed) != 0) throw Stopped();
}

}  // namespace heed
