// SPDX-License-Identifier: Apache-2.0
#include "server/serve_options.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include "heed/base/error.h"
#include "heed/base/testing.h"

namespace heed::server {
namespace {

TEST(ServeOptions, TakeTheTokenFromWhereItIs) {
  const test::TemporaryFolder folder;
  test::put(folder / "token", "from-file\n");
  ServeOptions options;
  EXPECT_EQ(options.effective_token(), "");
  setenv("HEED_TOKEN", "from-environment", 1);
  EXPECT_EQ(options.effective_token(), "from-environment");
  options.token_file = (folder / "token").string();
  EXPECT_EQ(options.effective_token(), "from-file");
  options.token = "given";
  EXPECT_EQ(options.effective_token(), "given");
  unsetenv("HEED_TOKEN");
}

TEST(ServeOptions, RefuseATokenThatAHeaderCannotCarry) {
  const test::TemporaryFolder folder;
  ServeOptions options;
  options.token = "two words";
  EXPECT_EQ(test::message_of<UsageError>([&] { options.effective_token(); }),
            "--token: a token is made of letters, digits and -._~+/= only");
  test::put(folder / "token", " \n");
  options.token = "";
  options.token_file = (folder / "token").string();
  EXPECT_THROW(options.effective_token(), UsageError);
}

TEST(ServeOptions, KnowWhetherOthersCanReachThem) {
  ServeOptions options;
  EXPECT_TRUE(options.on_loopback());
  for (const char* host : {"0.0.0.0", "192.168.1.2", "::"}) {
    options.host = host;
    EXPECT_FALSE(options.on_loopback()) << host;
  }
}

}  // namespace
}  // namespace heed::server
