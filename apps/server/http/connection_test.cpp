// SPDX-License-Identifier: Apache-2.0
#include "server/http/connection.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <thread>

namespace heed::server {
namespace {

using std::chrono::milliseconds;

// Two ends of a stream: the connection's and a client's.
struct Ends {
  Ends() { ::socketpair(AF_UNIX, SOCK_STREAM, 0, sockets); }
  ~Ends() {
    ::close(sockets[0]);
    if (sockets[1] >= 0) ::close(sockets[1]);
  }
  void send(std::string_view bytes) const {
    EXPECT_EQ(::send(sockets[1], bytes.data(), bytes.size(), 0),
              static_cast<ssize_t>(bytes.size()));
  }
  void close() {
    ::close(sockets[1]);
    sockets[1] = -1;
  }
  int sockets[2] = {-1, -1};
};

const std::atomic<bool> kGoing = false;
const std::atomic<bool> kStopping = true;

TEST(Connection, GivesHeadsOneAfterTheOther) {
  Ends ends;
  Connection connection(ends.sockets[0], {});
  ends.send("GET / HTTP/1.1\r\nA: b\r\n\r\nbodyGET /2");
  ASSERT_EQ(connection.await_head(kGoing), Connection::Head::ready);
  EXPECT_EQ(connection.head(), "GET / HTTP/1.1\r\nA: b\r\n\r\n");
  std::string read(28, ' ');
  EXPECT_EQ(connection.read(read.data(), 24), 24);  // the head
  EXPECT_EQ(connection.read(read.data(), 4), 4);
  EXPECT_EQ(read.substr(0, 4), "body");
  ends.send(" HTTP/1.1\r\n\r\n");
  ASSERT_EQ(connection.await_head(kGoing), Connection::Head::ready);
  EXPECT_EQ(connection.head(), "GET /2 HTTP/1.1\r\n\r\n");
}

TEST(Connection, GivesUpOnAHeadThatTricklesOrNeverEnds) {
  Ends slow;
  Connection trickle(slow.sockets[0], {.receive_seconds = .1});
  std::thread client([&] {
    for (int i = 0; i < 10; ++i) {
      slow.send("G");
      std::this_thread::sleep_for(milliseconds(30));
    }
    slow.send("\r\n\r\n");  // each byte comes soon, and the end too late
  });
  EXPECT_EQ(trickle.await_head(kGoing), Connection::Head::slow);
  client.join();
  Ends large;
  Connection flood(large.sockets[0], {.head_bytes = 100});
  large.send(std::string(200, 'x'));
  EXPECT_EQ(flood.await_head(kGoing), Connection::Head::large);
}

TEST(Connection, TakesAHeadUpToItsLimitAndNotOneByteMore) {
  const std::string head = "GET / HTTP/1.1\r\nA: " + std::string(81, 'b');  // and then its end
  ASSERT_EQ(head.size(), 100u);
  for (const std::size_t cut : {0u, 101u, 103u}) {  // in one packet, or in two
    for (const std::size_t limit : {99u, 100u}) {
      Ends ends;
      Connection connection(ends.sockets[0], {.head_bytes = limit});
      const std::string bytes = head + "\r\n\r\n";
      ends.send(bytes.substr(0, cut));
      std::thread client([&] {
        if (cut > 0) std::this_thread::sleep_for(milliseconds(20));
        ends.send(bytes.substr(cut));
      });
      EXPECT_EQ(connection.await_head(kGoing),
                limit < 100 ? Connection::Head::large : Connection::Head::ready)
          << "cut at " << cut << ", limit " << limit;
      client.join();
    }
  }
}

TEST(Connection, EndsItsRestWhenTheServerStopsOrTheClientLeaves) {
  Ends ends;
  Connection resting(ends.sockets[0], {.idle_seconds = .02});
  EXPECT_EQ(resting.await_head(kGoing), Connection::Head::closed);  // it rested too long
  Connection connection(ends.sockets[0], {});
  EXPECT_EQ(connection.await_head(kStopping), Connection::Head::closed);
  ends.send("GET");  // one that has begun is read to its end, even then
  std::thread client([&] {
    std::this_thread::sleep_for(milliseconds(20));
    ends.send(" / HTTP/1.1\r\n\r\n");
  });
  Connection begun(ends.sockets[0], {});
  std::this_thread::sleep_for(milliseconds(5));
  const Connection::Head head = begun.await_head(kGoing);
  client.join();
  EXPECT_EQ(head, Connection::Head::ready);
  EXPECT_FALSE(begun.hung_up());
  ends.close();
  EXPECT_TRUE(begun.hung_up());
}

TEST(Connection, ReadsABodyUntilTheDeadlineOfItsRequest) {
  Ends ends;
  Connection connection(ends.sockets[0], {.receive_seconds = .05});
  ends.send("POST / HTTP/1.1\r\n\r\n");
  ASSERT_EQ(connection.await_head(kGoing), Connection::Head::ready);
  std::string head(connection.head().size(), ' ');
  connection.read(head.data(), head.size());
  char byte = 0;
  EXPECT_EQ(connection.read(&byte, 1), -1);
  EXPECT_TRUE(connection.late());
  EXPECT_TRUE(connection.spoilt());
}

TEST(Connection, GivesUpWritingToAClientThatDoesNotRead) {
  Ends ends;
  Connection connection(ends.sockets[0], {.send_seconds = .05});
  const std::string much(1 << 24, 'x');
  EXPECT_EQ(connection.write(much.data(), much.size()), -1);
  ends.close();
  EXPECT_EQ(connection.write("x", 1), -1);
}

TEST(Heads, AreTrustedOnlyWhenTheyMeanOneThing) {
  const auto wrong = [](const std::string& lines) {
    return wrong_head("POST / HTTP/1.1\r\n" + lines + "\r\n");
  };
  EXPECT_EQ(wrong("A: b\r\nContent-Length: 5\r\n"), "");
  EXPECT_EQ(wrong("Transfer-Encoding: Chunked\r\n"), "");
  EXPECT_NE(wrong("Content-Length: 5\r\nContent-Length: 5\r\n"), "");
  EXPECT_NE(wrong("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"), "");
  EXPECT_NE(wrong("Content-Length: +5\r\n"), "");
  EXPECT_NE(wrong("Content-Length: \r\n"), "");
  EXPECT_NE(wrong("Transfer-Encoding: gzip\r\n"), "");
  EXPECT_NE(wrong("A: b\n"), "");
  EXPECT_NE(wrong("A : b\r\n"), "");
  EXPECT_NE(wrong("A: b\r\n folded\r\n"), "");
  EXPECT_NE(wrong("A: b\rc\r\n"), "");
  EXPECT_NE(wrong(": b\r\n"), "");
  EXPECT_EQ(wrong("Range: bytes=0-5\r\n"), "");
  EXPECT_NE(wrong("Range: bytes=" + std::string(200, '0') + "-\r\n"), "");
  EXPECT_NE(wrong(std::string("A: \0\r\n", 6)), "");
}

TEST(RequestLine, IsReadAsFarAsItCame) {
  const auto read = [](std::string_view bytes) {
    const RequestLine line = request_line(bytes);
    return line.method + " " + line.path;
  };
  EXPECT_EQ(read("GET /v1/models HTTP/1.1\r\nHost: a\r\n\r\n"), "GET /v1/models");
  EXPECT_EQ(read("POST /v1/translate?x=1 HTT"), "POST /v1/translate");
  for (const char* unread :
       {"", "GET", "GET ", "GET /v1/mod", " / HTTP/1.1", "GET http://localhost/ HTTP/1.1",
        "\r\nGET / HTTP/1.1", "nonsense\r\n\r\n", "X\n2026-01-01T00:00:00Z /healthz HTTP/1.1\r\n",
        "GET /a\x1b[2J HTTP/1.1\r\n", "get / HTTP/1.1\r\n"}) {
    EXPECT_EQ(read(unread), " ") << unread;
  }
}

}  // namespace
}  // namespace heed::server
