// SPDX-License-Identifier: Apache-2.0
// Drawing scenes with a target.
#include "heed/corpora/scenes/target_scene.h"

#include <algorithm>

#include "heed/base/error.h"
#include "heed/base/text.h"

namespace heed::corpora {
namespace {

constexpr int kMostDistractors = 8;                  // of nine places
constexpr std::uint64_t kFixedTargets = 0x54415247;  // "TARG": no epoch comes so far

}  // namespace

ObjectShape target_shape(const std::string& word) {
  const auto found = std::ranges::find(kShapeWords, word);
  if (found == kShapeWords.end()) {
    throw UsageError("\"{}\" is no shape of scenes; it takes {}", word,
                     join(std::vector<std::string>(kShapeWords.begin(), kShapeWords.end()), ", "));
  }
  return static_cast<ObjectShape>(found - kShapeWords.begin());
}

Canvas draw_target_scene(const TargetWish& wish, Random random) {
  if (wish.distractors < 0 || wish.distractors > kMostDistractors) {
    throw UsageError("a scene with {} distractors; it takes 0 to {}", wish.distractors,
                     kMostDistractors);
  }
  Scene scene;
  SceneObject target;
  while (static_cast<int>(scene.objects.size()) <= wish.distractors) {
    SceneObject object = draw_object(random);
    const bool first = scene.objects.empty();
    if (first) object.shape = wish.shape;
    if (!first && object.shape == wish.shape) continue;
    if (std::ranges::any_of(scene.objects, [&](const SceneObject& other) {
          return object.row == other.row && object.column == other.column;
        })) {
      continue;
    }
    if (first) target = object;
    scene.objects.push_back(object);
  }
  scene.noise = random.next_u64();
  return {.image = picture_of(scene),
          .labels = {static_cast<int>(target.colour)},
          .boxes = {box_of(mask_of(target), kSceneSide)}};
}

std::vector<Canvas> fixed_target_scenes(const TargetWish& wish, std::int64_t count,
                                        std::uint64_t seed) {
  std::vector<Canvas> scenes;
  for (std::int64_t i = 0; i < count; ++i) {
    scenes.push_back(
        draw_target_scene(wish, canvas_random(seed, kFixedTargets, static_cast<std::uint64_t>(i))));
  }
  return scenes;
}

}  // namespace heed::corpora
