// SPDX-License-Identifier: Apache-2.0
// The server as its operators meet it: metrics, readiness, names of requests, folders that change,
// models that come and go, and clients of other programs.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <thread>

#include "http_client.h"
#include "run_program.h"
#include "server_process.h"

namespace heed::test {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

bool within_seconds(double seconds, const std::function<bool()>& holds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (!holds()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return true;
}

HttpAnswer remove(HttpClient& client, const std::string& path) {
  client.send("DELETE " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
  return client.receive();
}

TEST(HeedServeOperations, NamesEveryRequestInItsAnswerItsErrorAndTheLog) {
  ServerProcess server({}, {all_models().front()});
  HttpClient client(server.port());
  const HttpAnswer well =
      client.post("/v1/translate", R"({"text": "a"})", "X-Request-Id: 7f-42\r\n");
  EXPECT_EQ(well.headers.at("x-request-id"), "7f-42");
  const HttpAnswer wrong =
      client.post("/v1/translate", R"({"text": 1})", "X-Request-Id: wrong-1\r\n");
  EXPECT_EQ(wrong.headers.at("x-request-id"), "wrong-1");
  EXPECT_EQ(wrong.json()["error"]["request_id"], "wrong-1");
  const HttpAnswer made = client.get("/nothing");
  EXPECT_EQ(made.headers.at("x-request-id").size(), 24u);
  EXPECT_EQ(made.json()["error"]["request_id"], made.headers.at("x-request-id"));
  // A name that could not stand in a log is not taken over.
  for (const std::string& odd : {std::string("two words"), std::string("a\"b"),
                                 std::string(129, 'a'), std::string("\xff"), std::string(" ")}) {
    const HttpAnswer answer = client.get("/healthz", "X-Request-Id: " + odd + "\r\n");
    EXPECT_EQ(answer.headers.at("x-request-id").size(), 24u) << odd;
  }
  HttpClient slow(server.port());
  slow.send("nonsense\r\n\r\n");
  EXPECT_EQ(slow.receive().headers.at("x-request-id").size(), 24u);
  EXPECT_EQ(server.stop(), 0);
  EXPECT_NE(server.log().find(" 7f-42 127.0.0.1 POST /v1/translate 200 "), std::string::npos)
      << server.log();
  EXPECT_NE(server.log().find(" wrong-1 127.0.0.1 POST /v1/translate 400 "), std::string::npos);
  EXPECT_NE(server.log().find(" ? unread 400 "), std::string::npos);
  EXPECT_EQ(server.log().find("two words"), std::string::npos);
}

TEST(HeedServeOperations, HasMetricsAtAnAddressOfItsOwn) {
  ServerProcess server({"--token", "secret", "--metrics-listen", "127.0.0.1:0"},
                       {all_models().front()});
  ASSERT_TRUE(server.logs("metrics on http://127.0.0.1:"));
  const std::string log = server.log();
  const std::string mark = "metrics on http://127.0.0.1:";
  HttpClient monitor(std::atoi(log.c_str() + log.find(mark) + mark.size()));
  EXPECT_EQ(monitor.get("/metrics").status, 200);
  EXPECT_EQ(monitor.get("/readyz").status, 200);
  EXPECT_EQ(monitor.get("/v1/models").status, 404);
  EXPECT_EQ(monitor.get("/").status, 404);
  HttpClient client(server.port());
  EXPECT_EQ(client.get("/metrics", "Authorization: Bearer secret\r\n").status, 404);
  EXPECT_EQ(client.get("/healthz").status, 200);
  EXPECT_EQ(client.get("/v1/models", "Authorization: Bearer secret\r\n").status, 200);
  EXPECT_NE(
      monitor.get("/metrics")
          .body.find("heed_requests_total{route=\"/v1/models\",model=\"\",status=\"200\"} 1\n"),
      std::string::npos);
  EXPECT_EQ(server.stop(), 0);
}

TEST(HeedServeOperations, OpensItsMetricsByChoice) {
  ServerProcess server({"--token", "secret", "--metrics-open"}, {all_models().front()});
  HttpClient client(server.port());
  EXPECT_EQ(client.get("/metrics").status, 200);
  EXPECT_EQ(client.get("/v1/models").status, 401);
}

TEST(HeedServeOperations, SaysThatItIsStoppingBeforeItStops) {
  ServerProcess server({"--drain", "60"}, {all_models().front()});
  EXPECT_EQ(HttpClient(server.port()).get("/readyz").status, 200);
  server.signal(SIGTERM);
  ASSERT_TRUE(
      within_seconds(20, [&] { return HttpClient(server.port()).get("/readyz").status == 503; }));
  HttpClient late(server.port());
  EXPECT_EQ(late.get("/healthz").status, 200);
  EXPECT_EQ(late.post("/v1/translate", R"({"text": "a b"})").status, 200);
  EXPECT_NE(late.get("/metrics").body.find("heed_ready 0\n"), std::string::npos);
  server.signal(SIGTERM);  // a second one does not wait
  EXPECT_EQ(server.wait(20), 0) << server.log();
}

TEST(HeedServeOperations, LoadsAFolderAgainWhenItChanges) {
  const TemporaryFolder folder;
  fs::copy(served_models() / "translate/model", folder / "one", fs::copy_options::recursive);
  ServerProcess server({"--watch"}, {(folder / "one").string()});
  HttpClient client(server.port());
  const auto answer = [&] { return client.post("/v1/translate", R"({"text": "a b c"})"); };
  const auto counted = [&](const std::string& outcome) {
    return client.get("/metrics")
               .body.find("heed_reloads_total{model=\"one\",outcome=\"" + outcome + "\"} 1\n") !=
           std::string::npos;
  };
  const std::string before = answer().body;
  // Broken: the old model stays, and that is counted.
  const std::string weights = get(folder / "one/model.safetensors");
  put(folder / "one/model.safetensors", "nonsense");
  ASSERT_TRUE(server.logs("one stays as it is: "));
  EXPECT_EQ(answer().body, before);
  EXPECT_TRUE(counted("failed"));
  put(folder / "one/model.safetensors", weights);
  ASSERT_TRUE(server.logs("reloaded one: its folder has changed"));
  EXPECT_EQ(answer().body, before);
  EXPECT_TRUE(counted("loaded"));
  EXPECT_EQ(server.stop(), 0);
}

TEST(HeedServeOperations, TakesModelsAndGivesThemUpWhileItRuns) {
  const std::string root = served_models().string();
  ServerProcess server({"--admin", "--model-root", root}, {});
  ASSERT_GT(server.port(), 0) << server.log();
  HttpClient client(server.port());
  EXPECT_EQ(client.get("/readyz").status, 503);
  EXPECT_EQ(client.post("/v1/translate", R"({"text": "a b"})").status, 404);
  const HttpAnswer added =
      client.post("/v1/models", R"({"folder": "translate/model", "name": "letters"})");
  EXPECT_EQ(added.status, 200) << added.body;
  EXPECT_EQ(added.json()["task"], "translate");
  EXPECT_EQ(client.get("/readyz").status, 200);
  EXPECT_EQ(client.post("/v1/translate", R"({"text": "a b"})").status, 200);
  EXPECT_EQ(client.post("/v1/models", R"({"folder": "language/model", "name": "letters"})").status,
            409);
  EXPECT_EQ(client.post("/v1/models", R"({"folder": "/etc"})").status, 403);
  EXPECT_EQ(client.post("/v1/models", R"({"folder": "nothing"})").status, 422);
  server.signal(SIGHUP);  // reloads what was added
  EXPECT_TRUE(server.logs("reloaded 1 model"));
  EXPECT_EQ(remove(client, "/v1/models/letters").json()["deleted"], true);
  EXPECT_EQ(remove(client, "/v1/models/letters").status, 404);
  EXPECT_EQ(client.get("/v1/models").json()["data"].size(), 0u);
  EXPECT_EQ(server.stop(), 0);

  ServerProcess plain({}, {all_models().front()});
  HttpClient nobody(plain.port());
  EXPECT_EQ(nobody.post("/v1/models", R"({"folder": "x"})").status, 405);
  HttpClient other(plain.port());
  EXPECT_EQ(remove(other, "/v1/models/letters").status, 405);
}

TEST(HeedServeOperations, RefusesToBeChangedByAnybody) {
  const auto message = [](std::vector<std::string> words) {
    words.insert(words.begin(), "serve");
    const ProgramResult result = run_heed(words);
    EXPECT_EQ(result.exit_code, 2) << result.out;
    return result.err;
  };
  EXPECT_NE(message({"--admin", "m"}).find("--model-root"), std::string::npos);
  EXPECT_NE(
      message({"--admin", "--model-root", ".", "--host", "0.0.0.0", "m"}).find("--token-file"),
      std::string::npos);
  EXPECT_NE(message({"--metrics-listen", "9100", "m"}).find("is not HOST:PORT"), std::string::npos);
}

TEST(HeedServeOperations, AnswersClientsOfOpenAI) {
  ServerProcess server;
  HttpClient client(server.port());
  const HttpAnswer answer = client.post(
      "/v1/completions",
      R"({"model": "lines", "prompt": "aa", "max_tokens": 20, "stop": "\n", "temperature": 0})");
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(answer.json()["id"], "cmpl-" + answer.headers.at("x-request-id"));
  const std::string whole = answer.json()["choices"][0]["text"];
  EXPECT_EQ(whole.find('\n'), std::string::npos);
  const HttpAnswer streamed = client.post(
      "/v1/completions",
      R"({"prompt": "aa", "max_tokens": 20, "stop": "\n", "temperature": 0, "stream": true})");
  EXPECT_EQ(streamed.headers.at("content-type"), "text/event-stream");
  std::string text;
  for (const std::string_view line : split(streamed.body, '\n')) {
    if (line.starts_with("data: {")) {
      text += json::parse(line.substr(6))["choices"][0]["text"].get<std::string>();
    }
  }
  EXPECT_EQ(text, whole);
  EXPECT_TRUE(streamed.body.ends_with("data: [DONE]\n\n")) << streamed.body;
  const HttpAnswer refused = client.post("/v1/completions", R"({"prompt": "aa", "n": 1000})");
  EXPECT_EQ(refused.status, 400);
  EXPECT_EQ(refused.json()["error"]["param"], "n");
  // Errors of the head are in its words, too.
  HttpClient other(server.port());
  other.send(
      "POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n"
      "Content-Length: 2\r\n\r\n{}");
  EXPECT_EQ(other.receive().json()["error"]["type"], "invalid_request_error");
}

TEST(HeedServeOperations, RefusesNulAsTheProgramDoes) {
  ServerProcess server({}, {all_models().front()});
  const HttpAnswer answer =
      HttpClient(server.port()).post("/v1/translate", R"({"text": "\u0000"})");
  EXPECT_EQ(answer.status, 400);
  EXPECT_EQ(answer.json()["error"]["message"], "\"text\" holds NUL, which no text does");
  EXPECT_EQ(answer.json()["error"]["where"], "/text");
}

}  // namespace
}  // namespace heed::test
