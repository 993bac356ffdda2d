// SPDX-License-Identifier: Apache-2.0
// Choosing and pinning CPU targets.
#include "heed/kernels/targets.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "heed/base/error.h"

namespace heed::kernels {
namespace {

TEST(Targets, TheBestOneIsInUseUnlessAnotherIsPinned) {
  const std::vector<std::string> targets = supported_targets();
  ASSERT_FALSE(targets.empty());
  EXPECT_EQ(current_target(), targets.front());
  for (const std::string& target : targets) {
    TargetScope scope(target);
    EXPECT_EQ(current_target(), target);
  }
  EXPECT_EQ(current_target(), targets.front());
}

TEST(Targets, AnUnknownNameIsAUsageErrorThatListsThePossibleOnes) {
  try {
    TargetScope scope("abacus");
    FAIL() << "no error";
  } catch (const UsageError& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("'abacus'"), std::string::npos) << message;
    EXPECT_NE(message.find(supported_targets().front()), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace heed::kernels
