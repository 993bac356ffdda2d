// SPDX-License-Identifier: Apache-2.0
// The server and clients that mean no good: it answers or drops every one as documented, and lives.
#include <gtest/gtest.h>

#include <cstdlib>
#include <thread>

#include "heed/base/random.h"
#include "http_client.h"
#include "run_program.h"
#include "server_process.h"

namespace heed::test {
namespace {

std::string request_of(const std::string& body, const std::string& more = "") {
  return "POST /v1/translate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" +
         more + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

class AHostileClient : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    server_ = std::make_unique<ServerProcess>(
        std::vector<std::string>{"--receive", "1", "--max-body", "20000", "--log", "none"});
  }
  static void TearDownTestSuite() {
    EXPECT_EQ(server_->stop(), 0) << server_->log();
    server_.reset();
  }
  void TearDown() override {
    HttpClient client(server_->port());
    EXPECT_EQ(client.post("/v1/translate", R"({"text": "a b c"})").status, 200);
  }
  // The status of the answer to these bytes; 0: the connection was closed without one.
  static int status_of(const std::string& bytes) {
    HttpClient client(server_->port());
    client.send(bytes);
    return client.receive().status;
  }
  static inline std::unique_ptr<ServerProcess> server_;
};

TEST_F(AHostileClient, GetsAnErrorForWhatIsNoJson) {
  for (const std::string& body :
       {std::string("{"), std::string(""), std::string("null"), std::string("{\"text\": \"\xff\"}"),
        std::string("{\"text\": \"\xed\xa0\x80\"}"), std::string(20000, '['),
        std::string("{\"text\": \"a\", \"text\": \"b\"}"), std::string("{\"text\": 1e999}"),
        std::string("{\"text\": \"\\ud800\"}"), std::string(100, '\0')}) {
    HttpClient client(server_->port());
    const HttpAnswer answer = client.post("/v1/translate", body);
    EXPECT_EQ(answer.status, 400) << body;
    EXPECT_EQ(answer.json()["error"]["kind"], "usage") << answer.body;
    EXPECT_EQ(client.get("/healthz").status, 200);  // the connection is still good
  }
}

TEST_F(AHostileClient, GetsAnErrorForWhatIsNoHttp) {
  EXPECT_EQ(status_of("nonsense\r\n\r\n"), 400);
  EXPECT_EQ(status_of("GET / HTTP/9.9\r\n\r\n"), 400);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nRange: " + std::string(7000, '1') + "\r\n\r\n"), 400);
  EXPECT_EQ(status_of("\r\n\r\n"), 400);
  EXPECT_EQ(status_of(std::string("GET /\0 HTTP/1.1\r\n\r\n", 19)), 400);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost: localhost\r\nno colon\r\n\r\n"), 400);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost: localhost\nX: y\r\n\r\n"), 400);
  EXPECT_EQ(status_of("GET /" + std::string(9000, 'a') + " HTTP/1.1\r\n\r\n"), 414);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nX: " + std::string(20000, 'a')), 431);
  EXPECT_EQ(status_of("BREW /v1/translate HTTP/1.1\r\nHost: localhost\r\n\r\n"), 400);
  EXPECT_EQ(status_of("DELETE /v1/translate HTTP/1.1\r\nHost: localhost\r\n\r\n"), 405);
}

TEST_F(AHostileClient, CannotSmuggleASecondRequest) {
  const std::string body = R"({"text": "a"})";
  EXPECT_EQ(status_of(request_of(body, "Content-Length: 3\r\n")), 400);
  EXPECT_EQ(status_of(request_of(body, "Transfer-Encoding: chunked\r\n")), 400);
  EXPECT_EQ(status_of("POST /v1/translate HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                      "application/json\r\nTransfer-Encoding: gzip, chunked\r\n\r\n"),
            400);
  EXPECT_EQ(status_of("POST /v1/translate HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                      "application/json\r\nContent-Length: -5\r\n\r\n"),
            400);
  // The body of what is refused is never read as a request.
  HttpClient client(server_->port());
  const std::string inner = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
  client.send("POST /nothing HTTP/1.1\r\nHost: localhost\r\nContent-Length: " +
              std::to_string(inner.size()) + "\r\n\r\n" + inner);
  const HttpAnswer answer = client.receive();
  EXPECT_EQ(answer.status, 404);
  EXPECT_EQ(answer.headers.at("connection"), "close");
  EXPECT_EQ(client.receive().status, 0);
}

TEST_F(AHostileClient, MaySendItsBodyInChunks) {
  EXPECT_EQ(status_of("POST /v1/translate HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                      "application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
                      "8\r\n{\"text\":\r\n5\r\n \"a\"}\r\n0\r\n\r\n"),
            200);
  // But no more than others.
  std::string chunks;
  for (int i = 0; i < 30; ++i) chunks += "400\r\n" + std::string(1024, 'a') + "\r\n";
  EXPECT_EQ(status_of("POST /v1/translate HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                      "application/json\r\nTransfer-Encoding: chunked\r\n\r\n" +
                      chunks),
            413);
  EXPECT_EQ(status_of("POST /v1/translate HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                      "application/json\r\nTransfer-Encoding: chunked\r\n\r\nzzz\r\n"),
            400);
}

TEST_F(AHostileClient, IsStoppedAtAHugeBody) {
  HttpClient client(server_->port());
  client.send(
      "POST /v1/translate HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
      "application/json\r\nContent-Length: 100000000\r\n\r\n");
  const std::string block(1 << 20, 'a');
  for (int i = 0; i < 100 && client.send(block); ++i) {
  }
  EXPECT_EQ(client.receive().status, 413);
  HttpClient careful(server_->port());
  careful.send(
      "POST /v1/translate HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
      "application/json\r\nExpect: 100-continue\r\nContent-Length: 100000000\r\n\r\n");
  EXPECT_EQ(careful.receive().status, 413);  // before it sent anything
}

TEST_F(AHostileClient, IsDroppedWhenItTrickles) {
  const auto start = std::chrono::steady_clock::now();
  HttpClient head(server_->port());
  HttpClient body(server_->port());
  body.send(
      "POST /v1/translate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
      "Content-Length: 1000\r\n\r\n{");
  for (int i = 0; i < 30; ++i) {  // a byte at a time never lasts longer than --receive in all
    head.send("G");
    body.send(" ");
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT_EQ(head.receive().status, 408);
  EXPECT_EQ(body.receive().status, 408);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

TEST_F(AHostileClient, MayLeaveInTheMiddle) {
  for (int i = 0; i < 50; ++i) {
    HttpClient client(server_->port());
    const std::string whole = request_of(R"({"text": "a b c"})");
    client.send(whole.substr(0, whole.size() * static_cast<std::size_t>(i) / 49));
    if (i % 2 == 0) client.reset();
  }
  // Many that say nothing leave room for others.
  std::vector<std::unique_ptr<HttpClient>> silent;
  for (int i = 0; i < 100; ++i) silent.push_back(std::make_unique<HttpClient>(server_->port()));
  EXPECT_EQ(status_of(request_of(R"({"text": "a b c"})")), 200);
}

// HEED_MUTATIONS=10000 runs as many as are asked for.
TEST_F(AHostileClient, GetsAnAnswerOrIsDroppedWhateverItSends) {
  const std::vector<std::string> seeds = {
      request_of(R"({"text": "a b c", "beam": 4, "n_best": 2, "attention": true})"),
      request_of(R"({"text": ["a", "b"], "sample": true, "temperature": 0.5, "seed": 7})"),
      ("POST /v1/generate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
       "Content-Length: 46\r\n\r\n{\"prompt\": \"aa\", \"length\": 4, \"stream\": true }"),
      ("POST /v1/attend HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
       "Content-Length: 82\r\n\r\n{\"mechanism\": \"dot | causal\", \"query\": [[1]], "
       "\"keys\": [[1]], \"values\": [[1], [2]]}"),
      "GET /metrics HTTP/1.1\r\nHost: localhost\r\nRange: bytes=0-10\r\n\r\n"};
  const char* asked = std::getenv("HEED_MUTATIONS");
  const int count = asked != nullptr ? std::atoi(asked) : 300;
  Random random(11);
  for (int i = 0; i < count; ++i) {
    std::string bytes = seeds[random.integer(seeds.size())];
    for (std::uint64_t changes = 1 + random.integer(4); changes > 0; --changes) {
      const std::size_t at = random.integer(bytes.size());
      const std::size_t length = 1 + random.integer(8);
      switch (random.integer(5)) {
        case 0:
          bytes[at] = static_cast<char>(random.integer(256));
          break;
        case 1:
          bytes.erase(at, length);
          break;
        case 2:
          bytes.insert(at, bytes.substr(random.integer(bytes.size()), length));
          break;
        case 3:
          bytes.insert(at, std::string(length, static_cast<char>(random.integer(256))));
          break;
        default:
          bytes.resize(at + 1);
          break;
      }
      if (bytes.empty()) bytes = "x";
    }
    HttpClient client(server_->port(), 10);
    client.send(bytes);
    ::shutdown(client.socket(), SHUT_WR);
    const HttpAnswer answer = client.receive();
    EXPECT_TRUE(answer.status == 0 || (answer.status >= 100 && answer.status < 505))
        << answer.status << "\n"
        << bytes;
    EXPECT_NE(answer.status, 500) << bytes << "\n" << answer.body;
    if (answer.status >= 400) {
      EXPECT_TRUE(answer.json().contains("error")) << answer.body;
    }
    ASSERT_TRUE(server_->alive()) << bytes << server_->log();
  }
}

TEST(HeedServeMistakes, SayWhatWouldBeRight) {
  const auto said = [](std::vector<std::string> words) {
    words.insert(words.begin(), "serve");
    const ProgramResult result = run_heed(words);
    EXPECT_NE(result.exit_code, 0);
    return result.err;
  };
  EXPECT_EQ(said({}),
            "heed serve: no model folder; give one or more (heed train translate makes "
            "one)\n");
  EXPECT_NE(said({"/nowhere"}).find("/nowhere"), std::string::npos);
  EXPECT_NE(said({"x", "--port", "99999"}).find("--port"), std::string::npos);
  EXPECT_NE(
      said({all_models()[0], "--host", "203.0.113.7", "--token", "x"}).find("cannot listen there"),
      std::string::npos);
}

}  // namespace
}  // namespace heed::test
