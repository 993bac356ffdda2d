// SPDX-License-Identifier: Apache-2.0
#include "server/api/api.h"

#include <gtest/gtest.h>

#include <memory>

#include "server/testing.h"

namespace heed::server {
namespace {

using nlohmann::json;

class AnApi : public ::testing::Test {
 protected:
  AnApi() : AnApi(Limits{.length = 20, .texts = 3, .cost = 150, .written = 50}) {}
  explicit AnApi(const Limits& limits)
      : engine_({testing::small_translator(), testing::small_writer(), testing::small_judge()},
                {.queue = limits.queue}, metrics_),
        api_(engine_, access_, metrics_, limits, true) {}

  HttpResponse post(const std::string& path, const std::string& body) {
    return api_.answer({.method = "POST", .path = path, .body = body, .client = "1.2.3.4"});
  }
  json answered(const std::string& path, const std::string& body, int status = 200) {
    const HttpResponse response = post(path, body);
    EXPECT_EQ(response.status, status) << path << " " << body << "\n" << response.body;
    return json::parse(response.body);
  }
  // "STATUS WHERE"
  std::string refused(const std::string& path, const std::string& body) {
    const HttpResponse response = post(path, body);
    return fmt::format("{} {}", response.status,
                       json::parse(response.body)["error"]["where"].get<std::string>());
  }

  Metrics metrics_;
  Access access_{{.token = "secret"}};
  Engine engine_;
  Api api_;
};

TEST_F(AnApi, Translates) {
  const json answer = answered("/v1/translate", R"({"text": ["a b", "c"], "n_best": 2})");
  EXPECT_EQ(answer["model"], "letters");
  ASSERT_EQ(answer["results"].size(), 2u);
  EXPECT_EQ(answer["results"][0]["translations"].size(), 2u);
  EXPECT_EQ(answer["results"][0]["translations"][0]["pieces"].size(),
            answer["results"][0]["translations"][0]["token_log_probabilities"].size());
  EXPECT_FALSE(answer["results"][0]["translations"][0].contains("trace"));
}

TEST_F(AnApi, DrawsTheSameForTheSameSeedWhateverElseIsAsked) {
  const char* body = R"({"text": "a b", "sample": true, "seed": 3})";
  EXPECT_EQ(answered("/v1/translate", body), answered("/v1/translate", body));
}

TEST_F(AnApi, JudgesScoresAndWrites) {
  const json judged = answered("/v1/classify", R"({"text": "the cat", "attention": true})");
  const json& aspect = judged["results"][0]["aspects"][0];
  EXPECT_NEAR(
      aspect["probabilities"]["no"].get<double>() + aspect["probabilities"]["yes"].get<double>(), 1,
      1e-5);
  EXPECT_EQ(aspect["attention"].size(), 2u);
  EXPECT_TRUE(judged["results"][0].contains("trace"));

  const json pair = answered("/v1/score", R"({"text": "a b", "target": "c"})");
  EXPECT_LT(pair["results"][0]["log_probability"].get<double>(), 0);
  EXPECT_EQ(pair["results"][0]["pieces"].size(), 2u);
  const json text = answered("/v1/score", R"({"model": "tales", "text": "abc"})");
  EXPECT_GT(text["results"][0]["perplexity"].get<double>(), 1);

  const json written = answered("/v1/generate", R"({"prompt": "ab", "length": 5})");
  EXPECT_EQ(written["tokens"], 5);
  EXPECT_EQ(written["reason"], "length");
}

TEST_F(AnApi, RunsMechanisms) {
  const json answer = answered("/v1/attend", R"({"mechanism": "dot | causal | argmax",
      "query": [[1, 0], [0, 1]], "keys": [[1, 0], [0, 2]], "values": [[5], [7]]})");
  EXPECT_EQ(answer["weights"], json::parse("[[1.0, 0.0], [0.0, 1.0]]"));
  EXPECT_EQ(answer["context"], json::parse("[[5.0], [7.0]]"));
  const json masked = answered("/v1/attend", R"({"mechanism": "scaled_dot",
      "query": [[1]], "keys": [[1], [1]], "values": [[1], [3]], "mask": [[false, true]]})");
  EXPECT_EQ(masked["context"], json::parse("[[3.0]]"));
  EXPECT_EQ(refused("/v1/attend", R"({"mechanism": "dott",
      "query": [[1]], "keys": [[1]], "values": [[1]]})"),
            "400 ");
  EXPECT_EQ(refused("/v1/attend", R"({"mechanism": "dot",
      "query": [[1]], "keys": [[1, 2]], "values": [[1]]})"),
            "400 ");
}

TEST_F(AnApi, RunsNoMechanismThatWouldFillTheMemory) {
  const auto body = [](const std::string& spec, const std::string& rows) {
    return fmt::format(R"({{"mechanism": "{}", "query": {}, "keys": {}, "values": {}}})", spec,
                       rows, rows, rows);
  };
  EXPECT_EQ(refused("/v1/attend", body("additive(hidden=1000000000)", "[[1]]")), "422 /mechanism");
  std::string rows = "[[1]";
  for (int i = 0; i < 1100; ++i) rows += ",[1]";
  EXPECT_EQ(refused("/v1/attend", body("dot", rows + "]")), "422 /query");
  EXPECT_EQ(post("/v1/attend", body("dot | window(4096) | entmax(alpha=1.54321)", "[[1]]")).status,
            200);
}

TEST_F(AnApi, StreamsPiecesThenTheWhole) {
  const HttpResponse response =
      post("/v1/generate", R"({"prompt": "ab", "length": 30, "stream": true})");
  EXPECT_EQ(response.type, "text/event-stream");
  std::string heard;
  std::string last;
  while (const auto piece = response.next_piece()) {
    last = *piece;
    const std::string data = piece->substr(piece->find("data: ") + 6);
    if (piece->starts_with("event: piece\n")) heard += json::parse(data)["text"];
  }
  ASSERT_TRUE(last.starts_with("event: end\ndata: "));
  const json end = json::parse(last.substr(last.find("data: ") + 6));
  EXPECT_EQ(end["text"], heard);
  EXPECT_EQ(end["tokens"], 30);
}

TEST_F(AnApi, RefusesWhatIsTooMuch) {
  std::string words = "a";
  for (int i = 0; i < 30; ++i) words += " a";
  EXPECT_EQ(refused("/v1/translate", fmt::format(R"({{"text": "{}"}})", words)), "422 /text");
  EXPECT_EQ(refused("/v1/translate", fmt::format(R"({{"text": "{}"}})", std::string(100'000, 'a'))),
            "422 /text");
  EXPECT_EQ(refused("/v1/translate", R"({"text": ["a", "b", "c", "d"]})"), "422 /text");
  EXPECT_EQ(refused("/v1/translate", R"({"text": ["a b c d e f", "a b c d e f"], "beam": 16})"),
            "422 /text");
  EXPECT_EQ(refused("/v1/generate", R"({"length": 51})"), "400 /length");
  EXPECT_EQ(refused("/v1/generate", fmt::format(R"({{"prompt": "{}"}})", std::string(60, 'a'))),
            "422 /prompt");
  // Within the limit of the server, beyond the 16 tokens of the model's context.
  EXPECT_EQ(refused("/v1/generate", fmt::format(R"({{"prompt": "{}"}})", std::string(18, 'a'))),
            "400 ");
}

TEST_F(AnApi, SaysWhichModelsThereAre) {
  EXPECT_EQ(refused("/v1/translate", R"({"text": "a", "model": "nobody"})"), "404 /model");
  EXPECT_EQ(refused("/v1/fill", R"({"text": "[MASK]"})"), "404 /model");
  EXPECT_EQ(refused("/v1/classify", R"({"text": "a", "second": "b"})"), "400 /second");
  EXPECT_EQ(refused("/v1/score", R"({"text": "a"})"), "400 /target");
  const json models = json::parse(api_.answer({.method = "GET", .path = "/v1/models"}).body);
  EXPECT_EQ(models["models"][2]["name"], "reviews");
  EXPECT_EQ(models["models"][2]["second"], false);
}

TEST_F(AnApi, ChecksHeadsBeforeBodiesAreRead) {
  const auto status = [&](const HttpRequest& head) {
    const auto refusal = api_.refuse(head);
    return refusal ? refusal->status : 200;
  };
  HttpRequest head{.method = "POST",
                   .path = "/v1/translate",
                   .headers = {{"authorization", "Bearer secret"},
                               {"content-type", "application/json; charset=utf-8"},
                               {"content-length", "10"}}};
  EXPECT_EQ(status(head), 200);
  const auto with = [&](const std::string& name, const std::string& value) {
    HttpRequest other = head;
    other.headers[name] = value;
    return status(other);
  };
  EXPECT_EQ(with("authorization", "Bearer wrong"), 401);
  EXPECT_EQ(with("content-type", "text/plain"), 415);
  EXPECT_EQ(with("content-type", "multipart/form-data; boundary=x"), 415);
  EXPECT_EQ(with("content-encoding", "gzip"), 415);
  EXPECT_EQ(with("content-length", "100000000"), 413);
  head.headers.erase("content-length");
  EXPECT_EQ(status(head), 411);
  head.path = "/v1/nothing";
  EXPECT_EQ(status(head), 404);
  head.path = "/healthz";
  EXPECT_EQ(status(head), 405);
  EXPECT_EQ(api_.refuse(head)->headers[0].second, "GET, HEAD");
  EXPECT_EQ(status({.method = "GET", .path = "/healthz"}), 200);  // open to all
  EXPECT_EQ(status({.method = "GET", .path = "/metrics"}), 401);
  EXPECT_EQ(status({.method = "GET", .path = "/etc/passwd"}), 401);
  EXPECT_EQ(status({.method = "GET", .path = "/"}), 200);
}

TEST_F(AnApi, FreesThePlaceOfAClientThatLeft) {
  HttpRequest request{.method = "POST",
                      .path = "/v1/generate",
                      .body = R"({"prompt": "a", "length": 50})",
                      .hung_up = [] { return true; }};
  // Either it was done at once, or its leaving was seen.
  const int status = api_.answer(request).status;
  EXPECT_TRUE(status == 200 || status == kClientLeft) << status;
  EXPECT_TRUE(testing::eventually([&] { return engine_.generations() == 0; }));
}

class AHastyApi : public AnApi {
 protected:
  AHastyApi() : AnApi(Limits{.written = 10'000'000, .deadline_seconds = .05}) {}
};

TEST_F(AHastyApi, EndsWhatTakesTooLong) {
  const json answer = answered("/v1/generate", R"({"prompt": "a", "length": 10000000})");
  EXPECT_EQ(answer["reason"], "deadline");
  EXPECT_LT(answer["tokens"], 10000000);
  EXPECT_FALSE(answer["text"].get<std::string>().empty());
}

}  // namespace
}  // namespace heed::server
