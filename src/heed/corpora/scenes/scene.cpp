// SPDX-License-Identifier: Apache-2.0
// Drawing scenes: which objects there are, and their pixels.
#include "heed/corpora/scenes/scene.h"

#include <algorithm>
#include <cmath>

#include "heed/base/error.h"
#include "heed/corpora/choose.h"

namespace heed::corpora {
namespace {

constexpr int kGrid = 3;
constexpr int kCell = static_cast<int>(kSceneSide) / kGrid;
constexpr float kGrey = 0.2F, kNoise = 0.05F;
constexpr float kColours[][3] = {{.9F, .1F, .1F},  {.1F, .75F, .15F}, {.2F, .3F, .95F},
                                 {.9F, .85F, .1F}, {.65F, .15F, .8F}, {.95F, .95F, .95F}};

// x and y from the middle of an object of this half side, in pixels.
bool covers(ObjectShape shape, double x, double y, double half) {
  if (std::abs(x) > half || std::abs(y) > half) return false;
  switch (shape) {
    case ObjectShape::circle:
      return x * x + y * y <= half * half;
    case ObjectShape::square:
      return true;
    case ObjectShape::triangle:  // its tip above
      return std::abs(x) <= (y + half) / 2;
    case ObjectShape::cross:
      return std::min(std::abs(x), std::abs(y)) <= half / 3;
  }
  throw InternalError("no such shape");
}

// The sum of four even bytes, of mean 0 and deviation 1: a tenth of the time of a normal number,
// and a part of 20,000 pictures is drawn in two seconds.
float nearly_normal(std::uint32_t word) {
  int sum = 0;
  for (int shift = 0; shift < 32; shift += 8) sum += static_cast<int>(word >> shift & 0xFF);
  return static_cast<float>(sum - 510) / 147.8F;
}

}  // namespace

bool is_new_pair(ObjectColour colour, ObjectShape shape) {
  return (colour == ObjectColour::red && shape == ObjectShape::cross) ||
         (colour == ObjectColour::blue && shape == ObjectShape::circle) ||
         (colour == ObjectColour::yellow && shape == ObjectShape::square);
}

SceneObject draw_object(Random& random) {
  const auto below = [&](std::uint64_t n) { return static_cast<int>(random.integer(n)); };
  SceneObject object;
  object.shape = static_cast<ObjectShape>(below(kShapeWords.size()));
  object.colour = static_cast<ObjectColour>(below(kColourWords.size()));
  object.large = below(2) == 1;
  object.row = below(kGrid);
  object.column = below(kGrid);
  object.down = below(5) - 2;
  object.right = below(5) - 2;
  return object;
}

Scene draw_scene(Random& random, const SceneWish& wish) {
  if (wish.objects < 1 || wish.objects > kGrid * kGrid) {
    throw UsageError("a scene of {} objects; it has 1 to {}", wish.objects, kGrid * kGrid);
  }
  Scene scene;
  while (static_cast<int>(scene.objects.size()) < wish.objects) {
    const SceneObject object = draw_object(random);
    const bool first = wish.new_pair && scene.objects.empty();
    const bool is_new = is_new_pair(object.colour, object.shape);
    if ((first && !is_new) || (!wish.new_pair && is_new)) continue;
    const bool clashes = std::ranges::any_of(scene.objects, [&](const SceneObject& other) {
      return object.looks_like(other) || (object.row == other.row && object.column == other.column);
    });
    if (!clashes) scene.objects.push_back(object);
  }
  std::ranges::sort(scene.objects, {},
                    [](const SceneObject& object) { return object.row * kGrid + object.column; });
  scene.noise = random.next_u64();
  return scene;
}

std::vector<bool> mask_of(const SceneObject& object) {
  std::vector<bool> mask(static_cast<std::size_t>(kSceneSide * kSceneSide));
  const double half = object.large ? 6 : 4;
  const auto half_cell = kCell / 2;
  const double middle_x = object.column * kCell + half_cell + object.right;
  const double middle_y = object.row * kCell + half_cell + object.down;
  for (std::int64_t row = 0; row < kSceneSide; ++row) {
    for (std::int64_t column = 0; column < kSceneSide; ++column) {
      mask[static_cast<std::size_t>(row * kSceneSide + column)] =
          covers(object.shape, static_cast<double>(column) + .5 - middle_x,
                 static_cast<double>(row) + .5 - middle_y, half);
    }
  }
  return mask;
}

images::Box box_of(const std::vector<bool>& mask, std::int64_t width) {
  images::Box box{.left = width, .top = static_cast<std::int64_t>(mask.size()) / width};
  for (std::size_t i = 0; i < mask.size(); ++i) {
    if (!mask[i]) continue;
    const auto at = static_cast<std::int64_t>(i);
    box.left = std::min(box.left, at % width);
    box.right = std::max(box.right, at % width + 1);
    box.top = std::min(box.top, at / width);
    box.bottom = std::max(box.bottom, at / width + 1);
  }
  return box.right == 0 ? images::Box{} : box;
}

images::Image picture_of(const Scene& scene, bool noisy) {
  images::Image image = images::Image::filled(kSceneSide, kSceneSide, 3, kGrey);
  for (const SceneObject& object : scene.objects) {
    const std::vector<bool> mask = mask_of(object);
    for (std::size_t i = 0; i < mask.size(); ++i) {
      if (!mask[i]) continue;
      std::copy_n(kColours[static_cast<std::size_t>(object.colour)], 3, &image.pixels[3 * i]);
    }
  }
  if (!noisy) return image;
  Random random(scene.noise);
  for (float& value : image.pixels) {
    value = std::clamp(value + kNoise * nearly_normal(random.next_u32()), 0.0F, 1.0F);
  }
  return image;
}

}  // namespace heed::corpora
