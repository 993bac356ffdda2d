// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <future>

#include "server/testing.h"

namespace heed::server {
namespace {

using nlohmann::json;

class TranslateRoute : public testing::SmallApi {
 protected:
  // Requests that come while it waits are done together.
  TranslateRoute() : SmallApi(Limits{}, {.batch = {.tokens = 1000, .wait_ms = 50}}) {}
};

TEST_F(TranslateRoute, Translates) {
  const json answer = answered("/v1/translate", R"({"text": ["a b", "c"], "n_best": 2})");
  EXPECT_EQ(answer["model"], "letters");
  ASSERT_EQ(answer["results"].size(), 2u);
  EXPECT_EQ(answer["results"][0]["translations"].size(), 2u);
  EXPECT_EQ(answer["results"][0]["translations"][0]["pieces"].size(),
            answer["results"][0]["translations"][0]["token_log_probabilities"].size());
  EXPECT_FALSE(answer["results"][0]["translations"][0].contains("trace"));
}

TEST_F(TranslateRoute, DrawsTheSameForTheSameSeedWhateverElseIsAsked) {
  const char* body = R"({"text": "a b", "sample": true, "seed": 3})";
  EXPECT_EQ(answered("/v1/translate", body), answered("/v1/translate", body));
}

TEST_F(TranslateRoute, SearchesAsItIsTold) {
  const json answer = answered("/v1/translate", R"({"text": ["a", "b"], "beam": 3, "n_best": 2,
      "length_penalty": "power", "length_alpha": 1, "attention": true, "heads": [1]})");
  ASSERT_EQ(answer["results"].size(), 2u);
  const json& found = answer["results"][1]["translations"];
  ASSERT_EQ(found.size(), 2u);
  for (const json& one : found) {
    const auto tokens = static_cast<double>(one["pieces"].size());
    EXPECT_NEAR(one["score"].get<double>(), one["log_probability"].get<double>() / tokens, 1e-4);
    for (const json& set : one["trace"]["examples"][0]["attentions"]) {
      ASSERT_EQ(set["heads"].size(), 1u);
      EXPECT_EQ(set["heads"][0]["head"], 1);
    }
  }
}

TEST_F(TranslateRoute, DrawsAsItIsTold) {
  const json answer = answered("/v1/translate", R"({"text": "a", "sample": true, "n_best": 7,
      "seed": 9, "temperature": 0.5, "top_k": 3, "nucleus": 0.9})");
  EXPECT_EQ(answer["results"][0]["translations"].size(), 7u);
  // Of one token at a time only the likeliest can be drawn.
  const json narrow =
      answered("/v1/translate", R"({"text": "a", "sample": true, "n_best": 3, "top_k": 1})");
  const json greedy = answered("/v1/translate", R"({"text": "a", "beam": 1})");
  for (const json& one : narrow["results"][0]["translations"]) {
    EXPECT_EQ(one["text"], greedy["results"][0]["translations"][0]["text"]);
  }
}

TEST_F(TranslateRoute, RefusesWhatDoesNotGoTogether) {
  const auto message_of = [this](const char* body) { return message("/v1/translate", body); };
  EXPECT_EQ(refused("/v1/translate", R"({"text": "a", "beam": 2, "n_best": 3})"), "400 /n_best");
  EXPECT_EQ(message_of(R"({"text": "a", "beam": 2, "n_best": 3})"),
            "\"n_best\" is 3: a beam of 2 has no more; widen it with \"beam\"");
  EXPECT_EQ(refused("/v1/translate", R"({"text": "a", "seed": 3})"), "400 /seed");
  EXPECT_EQ(message_of(R"({"text": "a", "seed": 3})"),
            "\"seed\" belongs to drawing; ask for it with \"sample\": true");
  EXPECT_EQ(refused("/v1/translate", R"({"text": "a", "layers": [0]})"), "400 /layers");
}

TEST_F(TranslateRoute, TranslatesRequestsTogetherAsItWouldEachAlone) {
  const std::vector<std::string> bodies = {R"({"text": ["a b c"]})",
                                           R"({"text": ["d", "e f a b"]})", R"({"text": ["c c"]})"};
  std::vector<json> alone;
  for (const std::string& body : bodies) alone.push_back(answered("/v1/translate", body));
  std::vector<std::future<HttpResponse>> together;
  for (const std::string& body : bodies) {
    together.push_back(
        std::async(std::launch::async, [this, body] { return post("/v1/translate", body); }));
  }
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const json results = json::parse(together[i].get().body)["results"];
    ASSERT_EQ(results.size(), alone[i]["results"].size());
    for (std::size_t k = 0; k < results.size(); ++k) {
      EXPECT_EQ(results[k]["translations"][0]["text"],
                alone[i]["results"][k]["translations"][0]["text"]);
    }
  }
}

}  // namespace
}  // namespace heed::server
