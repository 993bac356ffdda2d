// SPDX-License-Identifier: Apache-2.0
// Scenes: what is drawn, and that pixels show it.
#include "heed/corpora/scenes/scene.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "heed/base/error.h"

namespace heed::corpora {
namespace {

TEST(Scene, IsTheSameForTheSameSeedAndNoTwoObjectsAreAlike) {
  Random random(3), again(3);
  for (int i = 0; i < 200; ++i) {
    const Scene scene = draw_scene(random, {.objects = 1 + i % 4});
    EXPECT_EQ(scene, draw_scene(again, {.objects = 1 + i % 4}));
    for (std::size_t a = 0; a < scene.objects.size(); ++a) {
      EXPECT_FALSE(is_new_pair(scene.objects[a].colour, scene.objects[a].shape));
      for (std::size_t b = 0; b < a; ++b) {
        EXPECT_FALSE(scene.objects[a].looks_like(scene.objects[b]));
        // Reading order, one in a cell.
        EXPECT_GT(scene.objects[a].row * 3 + scene.objects[a].column,
                  scene.objects[b].row * 3 + scene.objects[b].column);
      }
    }
  }
  EXPECT_THROW(draw_scene(random, {.objects = 10}), UsageError);
}

TEST(Scene, ShowsANewPairWhereOneIsWanted) {
  Random random(4);
  for (int i = 0; i < 50; ++i) {
    const Scene scene = draw_scene(random, {.objects = 2, .new_pair = true});
    EXPECT_TRUE(std::ranges::any_of(scene.objects, [](const SceneObject& object) {
      return is_new_pair(object.colour, object.shape);
    }));
  }
}

TEST(Scene, HasObjectsOfEightAndTwelvePixelsInTheirCells) {
  for (const bool large : {false, true}) {
    const SceneObject square{.shape = ObjectShape::square,
                             .large = large,
                             .row = 1,
                             .column = 2,
                             .down = -2,
                             .right = 2};
    const std::vector<bool> mask = mask_of(square);
    const int side = large ? 12 : 8;
    EXPECT_EQ(std::ranges::count(mask, true), side * side);
    EXPECT_EQ(box_of(mask, kSceneSide),
              (images::Box{42 - side / 2, 22 - side / 2, 42 + side / 2, 22 + side / 2}));
  }
  for (const ObjectShape shape : {ObjectShape::circle, ObjectShape::triangle, ObjectShape::cross}) {
    const std::vector<bool> mask = mask_of({.shape = shape, .large = true, .down = 2, .right = 2});
    const images::Box box = box_of(mask, kSceneSide);
    EXPECT_LE(box.right, 16);
    EXPECT_LE(box.bottom, 16);
    EXPECT_GE(box.right - box.left, 10);
    EXPECT_LT(std::ranges::count(mask, true), 144);
  }
}

TEST(Scene, HasNoiseOfItsDeviationOnGrey) {
  const Scene scene{.objects = {}, .noise = 7};
  const images::Image image = picture_of(scene);
  double sum = 0, squares = 0;
  for (const float value : image.pixels) {
    sum += value;
    squares += static_cast<double>(value) * value;
  }
  const auto count = static_cast<double>(image.pixels.size());
  EXPECT_NEAR(sum / count, .2, .003);
  EXPECT_NEAR(std::sqrt(squares / count - sum * sum / count / count), .05, .003);
  EXPECT_EQ(picture_of(scene), image);
  for (const float value : picture_of(scene, false).pixels) EXPECT_EQ(value, .2F);
}

}  // namespace
}  // namespace heed::corpora
