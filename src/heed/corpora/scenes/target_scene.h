// SPDX-License-Identifier: Apache-2.0
// Target scenes: one object of the shape that is looked for, among others of other shapes, and what
// is asked is its colour. All objects have colours, so that whoever does not find it can only
// guess.
#pragma once  // public header

#include <cstdint>
#include <string>
#include <vector>

#include "heed/base/random.h"
#include "heed/corpora/canvases/canvases.h"
#include "heed/corpora/scenes/scene.h"

#pragma GCC visibility push(default)  // exported

namespace heed::corpora {

struct TargetWish {
  ObjectShape shape = ObjectShape::cross;
  int distractors = 3;
};

// "circle" and so on. UsageError for what is none of kShapeWords.
ObjectShape target_shape(const std::string& word);

// 48 x 48 in colour; its label is the number of the target's colour, its box where the target lies.
// UsageError for more objects than a scene can hold.
Canvas draw_target_scene(const TargetWish& wish, Random random);

// A set that stays, which no epoch of canvas_random() has. The same seed gives the same.
std::vector<Canvas> fixed_target_scenes(const TargetWish& wish, std::int64_t count,
                                        std::uint64_t seed);

}  // namespace heed::corpora

#pragma GCC visibility pop
