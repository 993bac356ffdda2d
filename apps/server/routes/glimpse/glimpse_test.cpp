// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "heed/base/base64.h"
#include "heed/images/image_file.h"
#include "heed/pipeline/glimpse/glimpse_reader.h"
#include "heed/pipeline/glimpse/glimpse_testing.h"
#include "server/testing.h"

namespace heed::server {
namespace {

using nlohmann::json;

// An API with one network of glimpses, trained for a moment.
class GlimpseRoute : public ::testing::Test {
 protected:
  static ModelPointer small_reader() {
    static const test::TemporaryFolder folder;
    pipeline::GlimpseTrainOptions options;
    pipeline::testing::set_small(options, folder.path());
    options.trainer.reset = true;
    pipeline::train(options, [](std::string_view) {});
    auto model = std::make_shared<ServedModel>();
    model->name = "digits";
    model->model = std::make_unique<pipeline::GlimpseReader>(options.out);
    return model;
  }
  GlimpseRoute() : engine_({small_reader()}, {}, metrics_), api_(engine_, access_, metrics_, {}) {}

  HttpResponse post(const json& body) {
    return api_.answer(
        {.method = "POST", .path = "/v1/glimpse", .body = body.dump(), .client = "1.2.3.4"});
  }

  Metrics metrics_;
  Access access_{{.token = "secret"}};
  Engine engine_;
  Api api_;
};

std::string picture(std::int64_t side) {
  images::Image image = images::Image::filled(side, side, 1);
  for (std::int64_t i = 0; i < side / 2; ++i) image.pixels[static_cast<std::size_t>(i)] = 0;
  return base64_encode(images::png_bytes(image));
}

TEST_F(GlimpseRoute, AnswersWithClassesAndThePathOfGlimpses) {
  // Another size than the model's: it is fitted.
  const HttpResponse response = post({{"image", picture(20)}, {"attention", true}, {"seed", 3}});
  ASSERT_EQ(response.status, 200) << response.body;
  const json answer = json::parse(response.body);
  EXPECT_EQ(answer["classes"].size(), 1u);
  ASSERT_EQ(answer["glimpses"].size(), 2u);
  for (const json& glimpse : answer["glimpses"]) {
    EXPECT_EQ(glimpse["boxes"].size(), 1u);
    EXPECT_EQ(glimpse["boxes"][0].size(), 4u);
    for (const json& coordinate : glimpse["place"]) {
      EXPECT_GE(coordinate.get<double>(), -1);
      EXPECT_LE(coordinate.get<double>(), 1);
    }
  }
  // What it makes of all glimpses is its answer.
  EXPECT_EQ(answer["glimpses"][1]["class"], answer["classes"][0]);
  EXPECT_NEAR(answer["glimpses"][1]["probability"].get<double>(),
              answer["probability"].get<double>(), 1e-6);
  EXPECT_EQ(answer["trace"]["examples"].size(), 1u);
}

TEST_F(GlimpseRoute, BeginsAtAPlaceOfTheSeed) {
  const auto first_place = [&](int seed) {
    const HttpResponse response = post({{"image", picture(8)}, {"seed", seed}});
    return json::parse(response.body)["glimpses"][0]["place"];
  };
  EXPECT_EQ(first_place(1), first_place(1));
  EXPECT_NE(first_place(1), first_place(2));
}

TEST_F(GlimpseRoute, TakesWhatABrowserMakesOfAFile) {
  EXPECT_EQ(post({{"image", "data:image/png;base64," + picture(8)}}).status, 200);
}

TEST_F(GlimpseRoute, RefusesWhatIsNoImage) {
  for (const char* image : {"%%%", "aGVsbG8=", ""}) {
    const HttpResponse response = post({{"image", image}});
    EXPECT_EQ(response.status, 400) << response.body;
    EXPECT_EQ(json::parse(response.body)["error"]["where"], "/image");
  }
  EXPECT_EQ(post({{"image", picture(1)}}).status, 400);
}

}  // namespace
}  // namespace heed::server
