// SPDX-License-Identifier: Apache-2.0
// Tests of what is said besides results.
#include "heed/base/verbosity.h"

#include <gtest/gtest.h>

#include "heed/base/progress.h"

namespace heed {
namespace {

std::string noted(Verbosity verbosity) {
  set_verbosity(verbosity);
  ::testing::internal::CaptureStderr();
  note("the model is read");
  const std::string written = ::testing::internal::GetCapturedStderr();
  set_verbosity(Verbosity::normal);
  return written;
}

TEST(Verbosity, LetsNotesThroughUnlessQuiet) {
  EXPECT_EQ(noted(Verbosity::normal), "the model is read\n");
  EXPECT_EQ(noted(Verbosity::verbose), "the model is read\n");
  EXPECT_EQ(noted(Verbosity::quiet), "");
}

TEST(Verbosity, ShowsNoProgressWhenQuiet) {
  set_verbosity(Verbosity::quiet);
  EXPECT_FALSE(terminal_sink().live);
  set_verbosity(Verbosity::normal);
}

}  // namespace
}  // namespace heed
