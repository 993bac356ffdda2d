// SPDX-License-Identifier: Apache-2.0
#include "server/serve_options.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <functional>

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
  EXPECT_TRUE(options.address().on_loopback());
  for (const char* host : {"0.0.0.0", "192.168.1.2", "::"}) {
    options.host = host;
    EXPECT_FALSE(options.address().on_loopback()) << host;
  }
}

TEST(ServeOptions, ReadAddressesWithTheirPorts) {
  const auto read = [](const std::string& written) {
    const ListenAddress address = ListenAddress::parse(written, "--metrics-listen");
    return fmt::format("{} {}", address.host, address.port);
  };
  EXPECT_EQ(read("127.0.0.1:9100"), "127.0.0.1 9100");
  EXPECT_EQ(read("localhost:0"), "localhost 0");
  EXPECT_EQ(read("[::1]:9100"), "::1 9100");
  for (const char* wrong : {"", "9100", ":9100", "localhost", "localhost:", "localhost:99999",
                            "localhost:-1", "localhost:9100x", "::1:9100", "[localhost]:1"}) {
    EXPECT_EQ(test::message_of<UsageError>([&] { read(wrong); }),
              fmt::format("--metrics-listen: \"{}\" is not HOST:PORT, such as 127.0.0.1:9100 or "
                          "[::1]:9100",
                          wrong));
  }
}

TEST(ServeOptions, RefuseWhatDoesNotGoTogether) {
  const auto message = [](const std::function<void(ServeOptions&)>& set) {
    ServeOptions options;
    options.models = {"m"};
    set(options);
    return test::message_of<UsageError>([&] { options.check(); });
  };
  EXPECT_EQ(message([](ServeOptions&) {}), "(no error was thrown)");
  EXPECT_EQ(message([](ServeOptions& options) { options.models.clear(); }).substr(0, 15),
            "no model folder");
  EXPECT_EQ(message([](ServeOptions& options) { options.admin = true; }),
            "--admin: say with --model-root where models may be added from");
  EXPECT_EQ(message([](ServeOptions& options) { options.model_roots = {"."}; }),
            "--model-root: it is for --admin, which lets requests add models");
  const auto remote = [](ServeOptions& options) {
    options.admin = true;
    options.model_roots = {"."};
    options.models.clear();  // they may all come later
    options.host = "0.0.0.0";
  };
  EXPECT_EQ(message(remote).substr(0, 51), "--admin: 0.0.0.0 can be reached by other machines, ");
  EXPECT_EQ(message([&](ServeOptions& options) {
              remote(options);
              options.token = "secret";
            }),
            "(no error was thrown)");
  EXPECT_EQ(message([](ServeOptions& options) {
              options.metrics_listen = "127.0.0.1:9100";
              options.metrics_open = true;
            }).substr(0, 15),
            "--metrics-open:");
}

}  // namespace
}  // namespace heed::server
