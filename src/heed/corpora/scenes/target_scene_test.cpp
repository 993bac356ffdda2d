// SPDX-License-Identifier: Apache-2.0
// Target scenes, read pixel by pixel.
#include "heed/corpora/scenes/target_scene.h"

#include <gtest/gtest.h>

#include <map>

#include "heed/base/error.h"

namespace heed::corpora {
namespace {

// The colours of scenes, written out once more.
constexpr float kReds[] = {.9F, .1F, .2F, .9F, .65F, .95F};

TEST(TargetScene, HasTheColourOfItsLabelInTheMiddleOfItsBox) {
  std::map<int, int> seen;
  for (const Canvas& canvas :
       fixed_target_scenes({.shape = ObjectShape::circle, .distractors = 4}, 200, 1)) {
    ASSERT_EQ(canvas.labels.size(), 1u);
    ASSERT_EQ(canvas.boxes.size(), 1u);
    const images::Box& box = canvas.boxes.front();
    const std::int64_t side = box.right - box.left;
    EXPECT_TRUE(side == 8 || side == 12) << side;
    const int label = canvas.labels.front();
    ++seen[label];
    EXPECT_NEAR(canvas.image.at((box.top + box.bottom) / 2, (box.left + box.right) / 2, 0),
                kReds[label], .25F);
    // A circle leaves the corners of its box grey.
    EXPECT_NEAR(canvas.image.at(box.top, box.left, 0), .2F, .25F);
  }
  EXPECT_EQ(seen.size(), kColourWords.size()) << "all colours are asked for";
}

TEST(TargetScene, HasAsManyDistractorsAsWanted) {
  const auto ink = [](int distractors) {
    double sum = 0;
    for (const Canvas& canvas :
         fixed_target_scenes({.shape = ObjectShape::cross, .distractors = distractors}, 100, 2)) {
      for (std::size_t i = 0; i < canvas.image.pixels.size(); i += 3) {
        const float* const pixel = &canvas.image.pixels[i];
        sum += std::max({pixel[0], pixel[1], pixel[2]}) > .55F ? 1 : 0;
      }
    }
    return sum / 100;
  };
  EXPECT_GT(ink(0), 20) << "a small cross at least";
  EXPECT_NEAR(ink(8) - ink(4), ink(4) - ink(0), .15 * ink(8)) << "each brings as much";
}

TEST(TargetScene, IsTheSameForTheSameSeedAndNoEpochHasIt) {
  const TargetWish wish{};
  const std::vector<Canvas> one = fixed_target_scenes(wish, 3, 5),
                            more = fixed_target_scenes(wish, 4, 5);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(one[i].image.pixels, more[i].image.pixels);
  EXPECT_NE(one[0].image.pixels, one[1].image.pixels);
  EXPECT_NE(one[0].image.pixels, fixed_target_scenes(wish, 1, 6)[0].image.pixels);
  EXPECT_NE(one[0].image.pixels, draw_target_scene(wish, canvas_random(5, 0, 0)).image.pixels);
}

TEST(TargetScene, RefusesShapesAndNumbersThatAreNone) {
  EXPECT_EQ(target_shape("triangle"), ObjectShape::triangle);
  EXPECT_THROW(target_shape("dog"), UsageError);
  EXPECT_THROW(draw_target_scene({.distractors = 9}, Random(1)), UsageError);
}

}  // namespace
}  // namespace heed::corpora
