// SPDX-License-Identifier: Apache-2.0
// Models of random weights over few words, and patience, for the tests of the server.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "heed/base/testing.h"
#include "heed/pipeline/classify/classifier.h"
#include "heed/pipeline/language/language_generator.h"
#include "heed/pipeline/language/language_options.h"
#include "heed/pipeline/language/language_testing.h"
#include "heed/pipeline/train.h"
#include "heed/pipeline/translate/model_options.h"
#include "heed/pipeline/translate/translator.h"
#include "server/api/api.h"
#include "server/engine/served_model.h"

namespace heed::server::testing {

// Whether it becomes true within 20 seconds: what other threads do takes them a moment.
inline bool eventually(const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

inline pipeline::TokeniserPointer words() {
  const std::vector<std::string> lines = {"a b c d e f the cat sleeps"};
  return text::train_tokeniser({.kind = text::TokeniserKind::words}, lines);
}

inline ModelPointer small_translator(const std::string& name = "letters") {
  pipeline::ModelOptions options;
  options.stack.width = 16;
  options.stack.heads = 2;
  options.stack.inner = 16;
  options.encoder_layers = options.decoder_layers = 1;
  options.tie = models::Tie::none;
  const pipeline::TokeniserPointer both = words();
  Random random(5);
  std::shared_ptr<models::EncoderDecoder> network =
      pipeline::make_model(options, {both->size(), both->size()}, random);
  auto model = std::make_shared<ServedModel>();
  model->name = name;
  model->model = std::make_unique<pipeline::Translator>(pipeline::Vocabularies{both, both},
                                                        std::move(network));
  return model;
}

inline ModelPointer small_writer(const std::string& name = "tales") {
  pipeline::LanguageModelOptions options;
  options.model = pipeline::LanguageModelKind::gpt;
  options.stack.width = 8;
  options.stack.heads = 2;
  options.stack.inner = 8;
  options.stack.layers = 1;
  options.stack.longest = 16;
  const std::vector<std::string> lines = {"abc d"};
  pipeline::TokeniserPointer letters = text::train_tokeniser(
      {.kind = text::TokeniserKind::characters, .spaces = text::Spaces::kept}, lines);
  Random random(3);
  std::shared_ptr<models::LanguageModel> network =
      pipeline::make_language_model(options, letters->size(), random);
  auto model = std::make_shared<ServedModel>();
  model->name = name;
  model->model = std::make_unique<pipeline::LanguageGenerator>(letters, std::move(network),
                                                               text::LineEnds::token);
  return model;
}

inline ModelPointer small_judge(const std::string& name = "reviews") {
  text::Labels labels(std::vector<std::string>{"label"});
  for (const char* label : {"no", "yes"}) labels.add(std::vector<std::string>{label});
  const pipeline::TokeniserPointer tokeniser = words();
  Random random(7);
  auto network = std::make_shared<models::Classifier>(
      models::ClassifierOptions{
          .encoder = {.vocabulary = tokeniser->size(), .embedding = 6, .hidden = 4}},
      random);
  auto model = std::make_shared<ServedModel>();
  model->name = name;
  model->model = std::make_unique<pipeline::Classifier>(
      pipeline::Classifier::Parts{tokeniser, labels, std::move(network)});
  return model;
}

// A folder with a language model that was trained for a moment, once for all tests.
inline const std::filesystem::path& trained_folder() {
  static const test::TemporaryFolder folder;
  static const std::filesystem::path path = [] {
    pipeline::LanguageOptions options;
    pipeline::testing::set_small(options, folder.path());
    options.trainer.max_updates = 2;
    pipeline::train(options, [](std::string_view) {});
    return std::filesystem::path(options.out);
  }();
  return path;
}

// An API with models of random weights, one of each of these kinds.
class SmallApi : public ::testing::Test {
 protected:
  SmallApi() : SmallApi(Limits{.length = 20, .texts = 3, .cost = 150, .written = 50}) {}
  explicit SmallApi(const Limits& limits, const Engine::Setting& setting = {})
      : engine_({small_translator(), small_writer(), small_judge()}, setting, metrics_),
        api_(engine_, access_, metrics_, {.limits = limits, .secured = true}) {}

  HttpResponse post(const std::string& path, const std::string& body) {
    return api_.answer({.method = "POST", .path = path, .body = body, .client = "1.2.3.4"});
  }
  nlohmann::json answered(const std::string& path, const std::string& body, int status = 200) {
    const HttpResponse response = post(path, body);
    EXPECT_EQ(response.status, status) << path << " " << body << "\n" << response.body;
    return nlohmann::json::parse(response.body);
  }
  // "STATUS WHERE"
  std::string refused(const std::string& path, const std::string& body) {
    const HttpResponse response = post(path, body);
    return fmt::format("{} {}", response.status,
                       nlohmann::json::parse(response.body)["error"]["where"].get<std::string>());
  }
  std::string message(const std::string& path, const std::string& body) {
    return nlohmann::json::parse(post(path, body).body)["error"]["message"].get<std::string>();
  }

  Metrics metrics_;
  Access access_{{.token = "secret"}};
  Engine engine_;
  Api api_;
};

}  // namespace heed::server::testing
