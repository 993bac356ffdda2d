// SPDX-License-Identifier: Apache-2.0
#include "heed/training/interruption.h"

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>
#include <chrono>
#include <thread>

#include "heed/base/error.h"

namespace heed::training {
namespace {

TEST(Interruption, NotesTheFirstSignalAndGoesOn) {
  const Interruption interruption;
  EXPECT_FALSE(interruption.requested());
  EXPECT_STREQ(interruption.signal_name(), "");
  ::raise(SIGTERM);
  EXPECT_TRUE(interruption.requested());
  EXPECT_STREQ(interruption.signal_name(), "SIGTERM");
}

TEST(Interruption, StartsFreshAndPutsTheOldHandlersBack) {
  struct sigaction before {};
  ::sigaction(SIGINT, nullptr, &before);
  {
    const Interruption interruption;
    EXPECT_FALSE(interruption.requested());
    ::raise(SIGINT);
    EXPECT_STREQ(interruption.signal_name(), "SIGINT");
  }
  struct sigaction after {};
  ::sigaction(SIGINT, nullptr, &after);
  EXPECT_EQ(before.sa_handler, after.sa_handler);
}

// A product of oneDNN has the stack pointer in the heap: the frame of a handler must not go there.
TEST(Interruption, HandlesSignalsOnAStackOfItsOwn) {
  const auto stack_now = [] {
    stack_t stack{};
    ::sigaltstack(nullptr, &stack);
    return stack;
  };
  const stack_t before = stack_now();
  {
    const Interruption interruption;
    EXPECT_NE(stack_now().ss_sp, before.ss_sp);
    EXPECT_EQ(stack_now().ss_flags & SS_DISABLE, 0);
    for (const int number : {SIGINT, SIGTERM}) {
      struct sigaction action {};
      ::sigaction(number, nullptr, &action);
      EXPECT_NE(action.sa_flags & SA_ONSTACK, 0) << number;
    }
    ::raise(SIGTERM);
    EXPECT_TRUE(interruption.requested());
  }
  EXPECT_EQ(stack_now().ss_flags, before.ss_flags);
}

TEST(Interruption, TheSecondSignalKills) {
  const pid_t child = ::fork();
  if (child == 0) {
    const Interruption interruption;
    ::raise(SIGINT);
    ::raise(SIGTERM);
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGTERM);
}

// One operation that lasts for ever, and one that hears in time and then takes long to save.
TEST(Interruption, KillsWhatDoesNotHearAndLetsWhatHasHeardTakeItsTime) {
  for (const bool hears : {false, true}) {
    const pid_t child = ::fork();
    if (child == 0) {
      const Interruption interruption;
      ::raise(SIGTERM);
      if (hears) interruption.seen();
      ::sleep(3);
      ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(WIFEXITED(status), hears);
    if (!hears) {
      EXPECT_EQ(WTERMSIG(status), SIGTERM);
    }
  }
}

TEST(Interruption, IsWatchedOnceOnly) {
  const Interruption interruption;
  EXPECT_THROW(Interruption(), InternalError);
}

TEST(Interruption, WaitsForWhatIsBeingSaved) {
  const Interruption interruption;
  {
    const Interruption::Saving saving;
    ::raise(SIGTERM);
    std::this_thread::sleep_for(std::chrono::duration<double>(1.5 * Interruption::kGraceSeconds));
  }
  EXPECT_EQ(interruption.signal(), SIGTERM) << "and the process is still there";
  interruption.seen();
}

}  // namespace
}  // namespace heed::training
