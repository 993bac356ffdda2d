// SPDX-License-Identifier: Apache-2.0
#include "server/api/api.h"

#include <gtest/gtest.h>

#include <memory>

#include "server/testing.h"

namespace heed::server {
namespace {

using nlohmann::json;

using AnApi = testing::SmallApi;

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
  EXPECT_EQ(models["object"], "list");
  EXPECT_EQ(models["data"][2]["id"], "reviews");
  EXPECT_EQ(models["data"][2]["object"], "model");
  EXPECT_EQ(models["data"][2]["second"], false);
}

TEST_F(AnApi, SaysWhichRequestAndModelAnAnswerIsOf) {
  const HttpRequest request{
      .method = "POST", .path = "/v1/translate", .body = R"({"text": "a", "beam": 0})", .id = "7f"};
  EXPECT_EQ(json::parse(api_.answer(request).body)["error"]["request_id"], "7f");
  EXPECT_EQ(api_.answer(request).model, "") << "it did not get that far";
  EXPECT_EQ(json::parse(api_.refuse(request)->body)["error"]["request_id"], "7f");
  EXPECT_EQ(post("/v1/translate", R"({"text": "a"})").model, "letters");
  EXPECT_EQ(post("/v1/generate", R"({"prompt": "a", "length": 1})").model, "tales");
  // What is refused for a model is counted under it.
  const std::string words(100'000, 'a');
  const HttpResponse refused = post("/v1/translate", fmt::format(R"({{"text": "{}"}})", words));
  EXPECT_EQ(refused.status, 422);
  EXPECT_EQ(refused.model, "letters");
}

TEST_F(AnApi, KnowsTheRouteOfWhateverIsAsked) {
  const auto route = [&](const std::string& path) { return api_.route_of({.path = path}); };
  EXPECT_EQ(route("/v1/translate"), "/v1/translate");
  EXPECT_EQ(route("/v1/models/tales"), "/v1/models/{name}");
  EXPECT_EQ(route("/v1/models/a/b"), "other");
  EXPECT_EQ(route("/v1/models/"), "other");
  EXPECT_EQ(route("/"), "/");
  EXPECT_EQ(route("/live/live.js"), "/live");
  EXPECT_EQ(route("/etc/passwd"), "other");
  EXPECT_EQ(route(""), "unread");
}

TEST_F(AnApi, TakesNoTextWithNul) {
  EXPECT_EQ(refused("/v1/translate", R"({"text": "\u0000"})"), "400 /text");
  EXPECT_EQ(refused("/v1/generate", R"({"prompt": "a\u0000b"})"), "400 /prompt");
}

// What the two addresses of a server with --metrics-listen have, and with --metrics-open one.
TEST_F(AnApi, HasTheRoutesOfItsDoor) {
  const auto status = [&](const ApiSetting& setting, const std::string& path) {
    const auto refusal =
        Api(engine_, access_, metrics_, setting).refuse({.method = "GET", .path = path});
    return refusal ? refusal->status : 200;
  };
  const ApiSetting whole{.secured = true};
  EXPECT_EQ(status(whole, "/metrics"), 401);
  EXPECT_EQ(status(whole, "/readyz"), 200);
  EXPECT_EQ(status({.secured = true, .metrics_open = true}, "/metrics"), 200);
  EXPECT_EQ(status({.secured = true, .metrics_open = true}, "/v1/models"), 401);

  Access anybody({});
  const auto open = [&](Door door, const std::string& path) {
    const auto refusal =
        Api(engine_, anybody, metrics_, {.door = door}).refuse({.method = "GET", .path = path});
    return refusal ? refusal->status : 200;
  };
  for (const char* path : {"/healthz", "/readyz"}) {
    EXPECT_EQ(open(Door::clients, path), 200) << path;
    EXPECT_EQ(open(Door::monitors, path), 200) << path;
  }
  EXPECT_EQ(open(Door::clients, "/metrics"), 404);
  EXPECT_EQ(open(Door::monitors, "/metrics"), 200);
  for (const char* path : {"/", "/v1/models", "/live/live.js", "/openapi.json"}) {
    EXPECT_EQ(open(Door::clients, path), 200) << path;
    EXPECT_EQ(open(Door::monitors, path), 404) << path;
  }
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

}  // namespace
}  // namespace heed::server
