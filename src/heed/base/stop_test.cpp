// SPDX-License-Identifier: Apache-2.0
// Work that is asked to stop, and work that is not.
#include "heed/base/stop.h"

#include <gtest/gtest.h>

#include <thread>

namespace heed {
namespace {

TEST(Stop, EndsTheWorkOfItsScopeAndNoOther) {
  std::atomic<int> flag = 0;
  stop_point();  // no scope
  {
    const StopScope scope(flag);
    stop_point();  // nobody has asked
    flag = 15;
    EXPECT_THROW(stop_point(), Stopped);
    std::thread([] { EXPECT_NO_THROW(stop_point()); }).join();
    const std::atomic<int> never = 0;
    {
      const StopScope inner(never);
      EXPECT_NO_THROW(stop_point());
    }
    EXPECT_THROW(stop_point(), Stopped);
  }
  EXPECT_NO_THROW(stop_point());
}

}  // namespace
}  // namespace heed
