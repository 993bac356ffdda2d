// SPDX-License-Identifier: Apache-2.0
#include "server/api/requests.h"

#include <gtest/gtest.h>

#include "server/api/routes.h"
#include "server/http/http_error.h"

namespace heed::server {
namespace {

nlohmann::json body_of(const char* path, const std::string& text) {
  static const std::vector<Route> routes = make_routes({});
  return read_fields(text, find_route(routes, "POST", path)->fields);
}

template <typename Call>
std::string refused(Call&& call) {
  try {
    call();
  } catch (const HttpError& error) {
    return error.where() + ": " + error.what();
  }
  return "(accepted)";
}

TEST(Requests, OfTranslationsBecomeASearch) {
  const TranslateRequest request = translate_request(body_of(
      "/v1/translate", R"({"text": ["a", "b"], "beam": 3, "n_best": 2, "length_penalty": "power",
                           "length_alpha": 1, "attention": true, "heads": [1]})"));
  EXPECT_EQ(request.texts, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(request.options.search, pipeline::SearchKind::beam);
  EXPECT_EQ(request.options.beam.width, 3);
  EXPECT_EQ(request.options.beam.n_best, 2);
  EXPECT_EQ(request.options.beam.length.scale, decoding::LengthScale::power);
  EXPECT_EQ(request.options.beam.length.alpha, 1);
  EXPECT_TRUE(request.options.trace);
  EXPECT_EQ(request.trace.heads, std::vector<int>{1});
}

TEST(Requests, OfTranslationsMayDraw) {
  const TranslateRequest request = translate_request(
      body_of("/v1/translate", R"({"text": "a", "sample": true, "n_best": 7, "seed": 9,
                                   "temperature": 0.5, "top_k": 3, "nucleus": 0.9})"));
  EXPECT_EQ(request.options.search, pipeline::SearchKind::sample);
  EXPECT_EQ(request.options.sampling.samples, 7);
  EXPECT_EQ(request.options.sampling.temperature, .5);
  EXPECT_EQ(request.options.sampling.top_k, 3);
  EXPECT_EQ(request.options.sampling.nucleus, .9);
  EXPECT_EQ(request.options.seed, 9u);
}

TEST(Requests, RefuseWhatDoesNotGoTogether) {
  const auto translation = [](const char* text) {
    return refused([&] { translate_request(body_of("/v1/translate", text)); });
  };
  EXPECT_EQ(translation(R"({"text": "a", "beam": 2, "n_best": 3})"),
            "/n_best: \"n_best\" is 3: a beam of 2 has no more; widen it with \"beam\"");
  EXPECT_EQ(translation(R"({"text": "a", "seed": 3})"),
            "/seed: \"seed\" belongs to drawing; ask for it with \"sample\": true");
  EXPECT_EQ(translation(R"({"text": "a", "layers": [0]})").substr(0, 8), "/layers:");
  const auto generation = [](const char* text) {
    return refused([&] { generate_request(body_of("/v1/generate", text)); });
  };
  EXPECT_EQ(generation(R"({"greedy": true, "top_k": 3})").substr(0, 7), "/top_k:");
  EXPECT_EQ(generation(R"({"stream": true, "attention": true})").substr(0, 11), "/attention:");
  EXPECT_EQ(refused([] {
              classify_request(body_of("/v1/classify", R"({"text": ["a", "b"], "second": "c"})"));
            }),
            "/second: \"second\" has 1 texts, and \"text\" 2; each takes one");
  EXPECT_EQ(refused([] {
              score_request(body_of("/v1/score", R"({"text": "a", "target": ["b", "c"]})"));
            }).substr(0, 8),
            "/target:");
}

TEST(Requests, OfOtherKindsKeepWhatTheySay) {
  const GenerateRequest text = generate_request(
      body_of("/v1/generate", R"({"prompt": "Once", "length": 7, "temperature": 2})"));
  EXPECT_EQ(text.prompt, "Once");
  EXPECT_EQ(text.options.length, 7);
  EXPECT_EQ(text.options.draw.temperature, 2);
  const ClassifyRequest pair =
      classify_request(body_of("/v1/classify", R"({"text": "a", "second": "b"})"));
  EXPECT_EQ(pair.texts[0].second, "b");
  EXPECT_EQ(fill_request(body_of("/v1/fill", R"({"text": "[MASK]", "count": 2})")).count, 2u);
}

}  // namespace
}  // namespace heed::server
