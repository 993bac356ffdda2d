// SPDX-License-Identifier: Apache-2.0
#include "heed/base/warning.h"

#include <gtest/gtest.h>

#include <string>

namespace heed {
namespace {

TEST(Warning, ReachesWhoListensAndNobodyElse) {
  std::string heard;
  warn("nobody listens");
  const WarningSink before =
      set_warning_sink([&](std::string_view text) { heard += std::string(text) + ";"; });
  EXPECT_FALSE(before);
  warn("one");
  warn("two");
  set_warning_sink(before);
  warn("three");
  EXPECT_EQ(heard, "one;two;");
}

}  // namespace
}  // namespace heed
