// SPDX-License-Identifier: Apache-2.0
#include "heed/training/interruption.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

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

}  // namespace
}  // namespace heed::training
