// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "heed/pipeline/memory/asker.h"
#include "heed/pipeline/memory/memory_testing.h"
#include "server/testing.h"

namespace heed::server {
namespace {

using nlohmann::json;

// An API with one memory network, trained for a moment.
class AskRoute : public ::testing::Test {
 protected:
  static ModelPointer small_memory() {
    static const test::TemporaryFolder folder;
    pipeline::MemoryOptions options;
    pipeline::testing::set_small(options, folder.path());
    options.trainer.max_epochs = 1;
    options.linear_start = 0;
    options.trainer.reset = true;
    pipeline::train(options, [](std::string_view) {});
    auto model = std::make_shared<ServedModel>();
    model->name = "stories";
    model->model = std::make_unique<pipeline::Asker>(options.out);
    return model;
  }
  AskRoute() : engine_({small_memory()}, {}, metrics_), api_(engine_, access_, metrics_, {}) {}

  HttpResponse post(const std::string& body) {
    return api_.answer({.method = "POST", .path = "/v1/ask", .body = body, .client = "1.2.3.4"});
  }

  Metrics metrics_;
  Access access_{{.token = "secret"}};
  Engine engine_;
  Api api_;
};

TEST_F(AskRoute, AnswersWithTheWeightsOfEachHop) {
  const HttpResponse response = post(
      R"({"story": "Ann went to the hall. Zoe went to the attic.", "question": "Where is Ann?",)"
      R"( "count": 2, "attention": true})");
  ASSERT_EQ(response.status, 200) << response.body;
  const json answer = json::parse(response.body);
  EXPECT_EQ(answer["answers"].size(), 2u);
  ASSERT_EQ(answer["sentences"].size(), 2u);
  EXPECT_EQ(answer["sentences"][0]["text"], "Ann went to the hall.");
  const double sum = answer["sentences"][0]["weights"][0].get<double>() +
                     answer["sentences"][1]["weights"][0].get<double>() +
                     answer["nothing"][0].get<double>();
  EXPECT_NEAR(sum, 1, 1e-5);
  EXPECT_EQ(answer["unknown"], json::array({"zoe"}));
  EXPECT_TRUE(answer.contains("trace"));
}

TEST_F(AskRoute, RefusesAQuestionWithoutWords) {
  const HttpResponse response = post(R"({"story": "Ann left.", "question": "?"})");
  EXPECT_EQ(response.status, 400) << response.body;
}

}  // namespace
}  // namespace heed::server
