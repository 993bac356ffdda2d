// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <optional>

#include "server/testing.h"

namespace heed::server {
namespace {

using nlohmann::json;

using GenerateRoute = testing::SmallApi;

TEST_F(GenerateRoute, StreamsPiecesThenTheWhole) {
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

TEST_F(GenerateRoute, FreesThePlaceOfAClientThatLeft) {
  HttpRequest request{.method = "POST",
                      .path = "/v1/generate",
                      .body = R"({"prompt": "a", "length": 50})",
                      .hung_up = [] { return true; }};
  // Either it was done at once, or its leaving was seen.
  const int status = api_.answer(request).status;
  EXPECT_TRUE(status == 200 || status == kClientLeft) << status;
  EXPECT_TRUE(testing::eventually([&] { return engine_.generations() == 0; }));
}

class HastyRoute : public testing::SmallApi {
 protected:
  HastyRoute() : SmallApi(Limits{.written = 10'000'000, .deadline_seconds = .05}) {}
};

TEST_F(HastyRoute, EndsWhatTakesTooLong) {
  const json answer = answered("/v1/generate", R"({"prompt": "a", "length": 10000000})");
  EXPECT_EQ(answer["reason"], "deadline");
  EXPECT_LT(answer["tokens"], 10000000);
  EXPECT_FALSE(answer["text"].get<std::string>().empty());
}

TEST_F(GenerateRoute, RefusesWhatDoesNotGoTogether) {
  EXPECT_EQ(refused("/v1/generate", R"({"greedy": true, "top_k": 3})"), "400 /top_k");
  EXPECT_EQ(refused("/v1/generate", R"({"stream": true, "attention": true})"), "400 /attention");
}

TEST_F(GenerateRoute, DrawsAsItIsTold) {
  const char* narrow = R"({"prompt": "ab", "length": 7, "temperature": 2, "top_k": 1})";
  EXPECT_EQ(answered("/v1/generate", narrow)["text"],
            answered("/v1/generate", R"({"prompt": "ab", "length": 7, "greedy": true})")["text"]);
}

class BusyRoute : public testing::SmallApi {
 protected:
  BusyRoute() : SmallApi(Limits{.written = 100'000'000}, {.generations = 2}) {}
};

TEST_F(BusyRoute, WritesTextsInTurnsAndStopsWhenNobodyWaits) {
  const char* brief = R"({"prompt": "ab", "length": 10})";
  const std::string expected = answered("/v1/generate", brief)["text"];
  // Its seat is free a moment after its answer.
  ASSERT_TRUE(testing::eventually([&] { return engine_.generations() == 0; }));
  const char* endless = R"({"prompt": "ab", "length": 16000000, "stream": true})";
  std::optional<HttpResponse> first = post("/v1/generate", endless);
  std::optional<HttpResponse> second = post("/v1/generate", endless);
  ASSERT_EQ(first->status, 200);
  ASSERT_EQ(second->status, 200);
  EXPECT_EQ(post("/v1/generate", brief).status, 503) << "both seats are taken";
  // A connection that ends drops its answer.
  const auto leave = [](std::optional<HttpResponse>& response) {
    response->drop();
    response.reset();
  };
  leave(second);
  ASSERT_TRUE(testing::eventually([&] { return engine_.generations() == 1; }));
  // While it writes, other work continues.
  EXPECT_EQ(answered("/v1/generate", brief)["text"], expected);
  EXPECT_TRUE(first->next_piece().has_value());
  leave(first);
  EXPECT_TRUE(testing::eventually([&] { return engine_.generations() == 0; }));
}

}  // namespace
}  // namespace heed::server
