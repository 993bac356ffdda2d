// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "heed/base/base64.h"
#include "heed/corpora/scenes/scene_set.h"
#include "heed/images/image_file.h"
#include "heed/pipeline/visual/picture_answers.h"
#include "heed/pipeline/visual/visual_testing.h"
#include "server/testing.h"

namespace heed::server {
namespace {

using nlohmann::json;

// An API with one model of questions, trained for a moment.
class VisualRoute : public ::testing::Test {
 protected:
  static ModelPointer small_visual() {
    static const test::TemporaryFolder folder;
    pipeline::VisualOptions options;
    pipeline::testing::set_small(options, folder.path());
    options.trainer.reset = true;
    pipeline::train(options, [](std::string_view) {});
    auto model = std::make_shared<ServedModel>();
    model->name = "pictures";
    model->model = std::make_unique<pipeline::PictureAnswerer>(options.out);
    return model;
  }
  VisualRoute() : engine_({small_visual()}, {}, metrics_), api_(engine_, access_, metrics_, {}) {}

  HttpResponse post(const json& body) {
    return api_.answer(
        {.method = "POST", .path = "/v1/visual", .body = body.dump(), .client = "1.2.3.4"});
  }

  Metrics metrics_;
  Access access_{{.token = "secret"}};
  Engine engine_;
  Api api_;
};

TEST_F(VisualRoute, AnswersWithProbabilitiesAndLooks) {
  const auto set = corpora::make_scenes(corpora::ScenePart::test, {.size = 1});
  const HttpResponse response =
      post({{"image", base64_encode(images::png_bytes(set.images.image(0)))},
            {"question", "what colour is the zebra ?"},
            {"attention", true}});
  ASSERT_EQ(response.status, 200) << response.body;
  const json answer = json::parse(response.body);
  EXPECT_GT(answer["answers"].size(), 5u);
  EXPECT_EQ(answer["unknown"], json::array({"zebra"}));
  EXPECT_TRUE(answer.contains("trace"));
}

TEST_F(VisualRoute, RefusesWhatCannotBeAsked) {
  const std::string image = base64_encode(images::png_bytes(images::Image::filled(48, 48, 3)));
  EXPECT_EQ(post({{"image", "%%%"}, {"question", "what ?"}}).status, 400);
  EXPECT_EQ(post({{"image", image}}).status, 400);
  EXPECT_EQ(post({{"image", image}, {"question", " "}}).status, 400);
}

}  // namespace
}  // namespace heed::server
