// SPDX-License-Identifier: Apache-2.0
#include "server/http/closer.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <future>
#include <string>

namespace heed::server {
namespace {

TEST(Closer, LetsTheOtherSideReadAndSendBeforeItCloses) {
  int sockets[2] = {-1, -1};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
  ASSERT_EQ(::send(sockets[0], "answer", 6, 0), 6);
  Closer closer;
  closer.add(sockets[0]);
  const std::string much(1 << 20, 'x');
  // Taken and thrown away: sending does not fail.
  std::size_t sent = 0;
  while (sent < much.size()) {
    const ssize_t count = ::send(sockets[1], much.data() + sent, much.size() - sent, MSG_NOSIGNAL);
    ASSERT_GT(count, 0);
    sent += static_cast<std::size_t>(count);
  }
  char block[16];
  EXPECT_EQ(::recv(sockets[1], block, sizeof block, 0), 6);
  EXPECT_EQ(::recv(sockets[1], block, sizeof block, 0), 0);  // nothing comes after it
  ::close(sockets[1]);
}

TEST(Closer, TellsTheFirstLineOfWhomWasAnsweredUnread) {
  const auto heard_of = [](std::string_view sent, bool closes) {
    int sockets[2] = {-1, -1};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
    std::promise<std::string> heard;
    Closer closer;
    closer.add(sockets[0], [&](std::string_view line) { heard.set_value(std::string(line)); });
    EXPECT_EQ(::send(sockets[1], sent.data(), sent.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(sent.size()));
    if (closes) ::close(sockets[1]);
    std::future<std::string> line = heard.get_future();
    EXPECT_EQ(line.wait_for(std::chrono::seconds(20)), std::future_status::ready);
    if (!closes) ::close(sockets[1]);
    return line.get();
  };
  EXPECT_EQ(heard_of("GET / HTTP/1.1\r\nHost: a\r\n", false), "GET / HTTP/1.1\r");
  EXPECT_EQ(heard_of("GET /", true), "GET /");  // it went away in the middle
  EXPECT_EQ(heard_of(std::string(4000, 'x'), false).substr(0, 8), "xxxxxxxx");
}

}  // namespace
}  // namespace heed::server
