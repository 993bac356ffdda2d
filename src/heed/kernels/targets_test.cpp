// SPDX-License-Identifier: Apache-2.0
// Choosing and pinning CPU targets.
#include "heed/kernels/targets.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "heed/base/error.h"
#include "heed/kernels/testing.h"

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

// HEED_TARGETS as it was, at the end of the scope.
class NamedTargets {
 public:
  NamedTargets() {
    if (const char* named = std::getenv("HEED_TARGETS"); named != nullptr) before_ = named;
  }
  ~NamedTargets() { set(before_); }
  NamedTargets(const NamedTargets&) = delete;
  NamedTargets& operator=(const NamedTargets&) = delete;

  void set(const std::optional<std::string>& names) const {
    names ? setenv("HEED_TARGETS", names->c_str(), 1) : unsetenv("HEED_TARGETS");
  }

 private:
  std::optional<std::string> before_;
};

TEST(Targets, TestsRunOnAllOfThemOrOnThoseThatTheEnvironmentNames) {
  const NamedTargets named;
  std::vector<std::string> run;
  const auto note = [&run] { run.push_back(current_target()); };
  named.set(std::nullopt);
  on_every_target(note);
  EXPECT_EQ(run, supported_targets());
  run.clear();
  const std::string last = supported_targets().back();
  named.set(last + "," + supported_targets().front());
  on_every_target(note);
  EXPECT_EQ(run, (std::vector{last, supported_targets().front()}));
  named.set("abacus");
  EXPECT_THROW(on_every_target(note), UsageError);
}

}  // namespace
}  // namespace heed::kernels
