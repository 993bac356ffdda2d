// SPDX-License-Identifier: Apache-2.0
// One sink for the process.
#include "heed/base/warning.h"

#include <mutex>
#include <utility>

namespace heed {
namespace {

struct Sink {
  std::mutex mutex;
  WarningSink call;
};

Sink& sink() {
  static Sink one;
  return one;
}

}  // namespace

WarningSink set_warning_sink(WarningSink call) {
  const std::lock_guard lock(sink().mutex);
  return std::exchange(sink().call, std::move(call));
}

void warn(std::string_view text) {
  const std::lock_guard lock(sink().mutex);
  if (sink().call) sink().call(text);
}

}  // namespace heed
