// SPDX-License-Identifier: Apache-2.0
#include "server/http/closer.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

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

}  // namespace
}  // namespace heed::server
