// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "heed/base/base64.h"
#include "heed/corpora/scenes/scene_set.h"
#include "heed/images/image_file.h"
#include "heed/pipeline/caption/caption_testing.h"
#include "heed/pipeline/caption/caption_writer.h"
#include "server/testing.h"

namespace heed::server {
namespace {

using nlohmann::json;

// An API with one captioner, trained for a moment.
class CaptionRoute : public ::testing::Test {
 protected:
  static ModelPointer small_captioner() {
    static const test::TemporaryFolder folder;
    pipeline::CaptionOptions options;
    pipeline::testing::set_small(options, folder.path());
    options.trainer.reset = true;
    pipeline::train(options, [](std::string_view) {});
    auto model = std::make_shared<ServedModel>();
    model->name = "pictures";
    model->model = std::make_unique<pipeline::CaptionWriter>(options.out);
    return model;
  }
  CaptionRoute()
      : engine_({small_captioner()}, {}, metrics_), api_(engine_, access_, metrics_, {}) {}

  HttpResponse post(const json& body) {
    return api_.answer(
        {.method = "POST", .path = "/v1/caption", .body = body.dump(), .client = "1.2.3.4"});
  }

  Metrics metrics_;
  Access access_{{.token = "secret"}};
  Engine engine_;
  Api api_;
};

TEST_F(CaptionRoute, AnswersWithWordsGatesAndTheirWeights) {
  const auto set = corpora::make_scenes(corpora::ScenePart::test, {.size = 1});
  const HttpResponse response =
      post({{"image", base64_encode(images::png_bytes(set.images.image(0)))}, {"attention", true}});
  ASSERT_EQ(response.status, 200) << response.body;
  const json answer = json::parse(response.body);
  EXPECT_FALSE(answer["words"].empty());
  EXPECT_TRUE(answer["gates"].empty()) << "where it looked is carried, and no gate";
  EXPECT_TRUE(answer.contains("trace"));
}

TEST_F(CaptionRoute, RefusesWhatIsNoPicture) {
  for (const char* image : {"%%%", "aGVsbG8=", ""}) {
    const HttpResponse response = post({{"image", image}});
    EXPECT_EQ(response.status, 400) << response.body;
    EXPECT_EQ(json::parse(response.body)["error"]["where"], "/image");
  }
  // One pixel.
  EXPECT_EQ(post({{"image", base64_encode(images::png_bytes(images::Image::filled(1, 1)))}}).status,
            400);
}

}  // namespace
}  // namespace heed::server
