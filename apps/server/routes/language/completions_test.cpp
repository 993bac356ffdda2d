// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "server/testing.h"

namespace heed::server {
namespace {

using nlohmann::json;

class CompletionsRoute : public testing::SmallApi {
 protected:
  json completed(const std::string& body) { return answered("/v1/completions", body); }
  // "STATUS PARAM MESSAGE"
  std::string failed(const std::string& body) {
    const HttpResponse response = post("/v1/completions", body);
    const json error = json::parse(response.body)["error"];
    return fmt::format("{} {} {}", response.status,
                       error["param"].is_null() ? "-" : error["param"].get<std::string>(),
                       error["message"].get<std::string>());
  }
};

TEST_F(CompletionsRoute, AnswersAsOpenAIDoes) {
  const json answer = completed(R"({"model": "tales", "prompt": "ab", "max_tokens": 5})");
  EXPECT_EQ(answer["object"], "text_completion");
  EXPECT_TRUE(answer["id"].get<std::string>().starts_with("cmpl-"));
  EXPECT_GT(answer["created"].get<std::int64_t>(), 1'700'000'000);
  EXPECT_EQ(answer["model"], "tales");
  ASSERT_EQ(answer["choices"].size(), 1u);
  const json& choice = answer["choices"][0];
  EXPECT_EQ(choice["index"], 0);
  EXPECT_EQ(choice["finish_reason"], "length");
  EXPECT_TRUE(choice["logprobs"].is_null());
  EXPECT_EQ(answer["usage"],
            json::parse(R"({"prompt_tokens": 2, "completion_tokens": 5, "total_tokens": 7})"));
}

TEST_F(CompletionsRoute, WritesWhatGenerateWrites) {
  const json answer = completed(
      R"({"prompt": "ab", "max_tokens": 9, "seed": 7, "temperature": 0.7, "top_p": 0.9})");
  const json same =
      answered("/v1/generate",
               R"({"prompt": "ab", "length": 9, "seed": 7, "temperature": 0.7, "nucleus": 0.9})");
  EXPECT_EQ(answer["choices"][0]["text"], same["text"]);
  EXPECT_EQ(
      completed(R"({"prompt": "ab", "max_tokens": 9, "temperature": 0})")["choices"][0]["text"],
      answered("/v1/generate", R"({"prompt": "ab", "length": 9, "greedy": true})")["text"]);
}

TEST_F(CompletionsRoute, WritesSeveralTextsForSeveralPrompts) {
  const char* body = R"({"prompt": ["ab", "c"], "n": 2, "max_tokens": 8, "seed": 3, "echo": true})";
  const json answer = completed(body);
  ASSERT_EQ(answer["choices"].size(), 4u);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(answer["choices"][i]["index"], i);
    texts.push_back(answer["choices"][i]["text"]);
    EXPECT_TRUE(texts.back().starts_with(i < 2 ? "ab" : "c")) << texts.back();
  }
  EXPECT_NE(texts[0], texts[1]) << "each draws for itself";
  EXPECT_EQ(answer["usage"]["prompt_tokens"], 3);
  EXPECT_EQ(answer["usage"]["completion_tokens"], 32);
  EXPECT_EQ(completed(body)["choices"], answer["choices"]) << "the same seed draws the same";
  const std::string alone = completed(
      R"({"prompt": "c", "n": 2, "max_tokens": 8, "seed": 3, "echo": true})")["choices"][1]["text"];
  EXPECT_EQ(alone, texts[3]);
}

TEST_F(CompletionsRoute, EndsBeforeAStop) {
  const std::string whole =
      completed(R"({"prompt": "ab", "max_tokens": 40, "seed": 5})")["choices"][0]["text"];
  const std::string stop = whole.substr(6, 2);
  const json body = {{"prompt", "ab"}, {"max_tokens", 40}, {"seed", 5}, {"stop", {"zz", stop}}};
  const json choice = completed(body.dump())["choices"][0];
  EXPECT_EQ(choice["text"], whole.substr(0, whole.find(stop)));
  EXPECT_EQ(choice["finish_reason"], "stop");
}

TEST_F(CompletionsRoute, GivesProbabilitiesOfTokens) {
  const json answer =
      completed(R"({"prompt": "ab", "max_tokens": 6, "temperature": 0, "logprobs": 2})");
  const json& found = answer["choices"][0]["logprobs"];
  std::string joined;
  ASSERT_EQ(found["tokens"].size(), 6u);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(found["text_offset"][i], 2 + joined.size());
    const std::string piece = found["tokens"][i];
    joined += piece;
    EXPECT_LT(found["token_logprobs"][i].get<double>(), 0);
    EXPECT_EQ(found["top_logprobs"][i].size(), 2u);
    EXPECT_EQ(found["top_logprobs"][i][piece], found["token_logprobs"][i]);
  }
  EXPECT_EQ(joined, answer["choices"][0]["text"]);
}

TEST_F(CompletionsRoute, StreamsPartsThatAddUpToTheWhole) {
  for (const char* more : {"", R"(, "stop": "b")", R"(, "logprobs": 1)", R"(, "echo": true)"}) {
    const std::string body =
        fmt::format(R"("prompt": ["ab", "c"], "n": 2, "max_tokens": 12, "seed": 3{})", more);
    const json whole = completed("{" + body + "}");
    const HttpResponse response = post("/v1/completions", "{" + body + R"(, "stream": true})");
    ASSERT_EQ(response.type, "text/event-stream");
    std::vector<std::string> texts(4), reasons(4);
    std::vector<std::size_t> tokens(4);
    std::string last;
    while (const auto event = response.next_piece()) {
      ASSERT_TRUE(event->starts_with("data: ") && event->ends_with("\n\n")) << *event;
      last = event->substr(6, event->size() - 8);
      if (last == "[DONE]") continue;
      const json chunk = json::parse(last);
      EXPECT_EQ(chunk["object"], "text_completion");
      const json& choice = chunk["choices"][0];
      const std::size_t index = choice["index"];
      texts[index] += choice["text"].get<std::string>();
      if (!choice["finish_reason"].is_null()) reasons[index] = choice["finish_reason"];
      if (!choice["logprobs"].is_null()) tokens[index] += choice["logprobs"]["tokens"].size();
    }
    EXPECT_EQ(last, "[DONE]");
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(texts[i], whole["choices"][i]["text"]) << more;
      EXPECT_EQ(reasons[i], whole["choices"][i]["finish_reason"]) << more;
      const json& chances = whole["choices"][i]["logprobs"];
      EXPECT_EQ(tokens[i], chances.is_null() ? 0 : chances["tokens"].size());
    }
  }
}

TEST_F(CompletionsRoute, TakesWhatClientsSendThoughItChangesNothing) {
  completed(R"({"prompt": "a", "stop": null, "logprobs": null, "n": null, "seed": null,
                "user": "u", "frequency_penalty": 0, "presence_penalty": 0.0, "stream": null})");
}

TEST_F(CompletionsRoute, RefusesInTheWordsOfOpenAI) {
  const HttpResponse response = post("/v1/completions", R"({"prompt": "a", "max_tokens": 0})");
  const json error = json::parse(response.body)["error"];
  EXPECT_EQ(response.status, 400);
  EXPECT_EQ(error["type"], "invalid_request_error");
  EXPECT_EQ(error["param"], "max_tokens");
  EXPECT_EQ(failed(R"({})").substr(0, 10), "400 prompt");
  EXPECT_EQ(failed(R"({"prompt": "a", "presence_penalty": 1})").substr(0, 20),
            "400 presence_penalty");
  EXPECT_EQ(failed(R"({"prompt": "a", "stop": ["a", ""]})"),
            "400 stop \"stop\" has a text of 0 bytes; it takes texts of 1 to 200");
  EXPECT_EQ(failed(R"({"prompt": ["a", "b"], "n": 3, "max_tokens": 9})"),
            "422 max_tokens 6 texts of 9 tokens; a request may write 50 tokens in all");
  EXPECT_EQ(failed(R"({"prompt": "a", "echo": true, "logprobs": 1})").substr(0, 12),
            "400 logprobs");
  EXPECT_EQ(failed(R"({"prompt": "a", "model": "letters"})").substr(0, 9), "400 model");
  EXPECT_EQ(failed(R"({"prompt": "a", "model": "nobody"})").substr(0, 9), "404 model");
  EXPECT_EQ(failed(R"({"prompt": "aaaaaaaaaaaaaaaaaa"})").substr(0, 5), "400 -");  // the context
}

class HastyCompletions : public testing::SmallApi {
 protected:
  HastyCompletions() : SmallApi(Limits{.written = 10'000'000, .deadline_seconds = .05}) {}
};

TEST_F(HastyCompletions, SayThatTheDeadlineHasPassed) {
  const HttpResponse response =
      post("/v1/completions", R"({"prompt": "a", "max_tokens": 10000000})");
  EXPECT_EQ(response.status, 504);
  EXPECT_EQ(json::parse(response.body)["error"]["type"], "server_error");
  EXPECT_TRUE(testing::eventually([&] { return engine_.generations() == 0; }));
}

}  // namespace
}  // namespace heed::server
