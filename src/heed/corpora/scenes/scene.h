// SPDX-License-Identifier: Apache-2.0
// A scene: a few coloured objects in the cells of a grid of three by three, and its picture.
#pragma once  // public header

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "heed/base/random.h"
#include "heed/images/image.h"

#pragma GCC visibility push(default)  // exported

namespace heed::corpora {

enum class ObjectShape { circle, square, triangle, cross };
enum class ObjectColour { red, green, blue, yellow, purple, white };
inline constexpr std::array<std::string_view, 4> kShapeWords{"circle", "square", "triangle",
                                                             "cross"};
inline constexpr std::array<std::string_view, 6> kColourWords{"red",    "green",  "blue",
                                                              "yellow", "purple", "white"};

struct SceneObject {
  ObjectShape shape = ObjectShape::circle;
  ObjectColour colour = ObjectColour::red;
  bool large = false;
  int row = 0;  // of the grid, from the top
  int column = 0;
  int down = 0;  // how far its middle is from that of its cell, -2 to 2 pixels
  int right = 0;

  bool looks_like(const SceneObject& other) const {
    return shape == other.shape && colour == other.colour && large == other.large;
  }
  bool operator==(const SceneObject&) const = default;
};

inline constexpr std::int64_t kSceneSide = 48;  // pixels

struct Scene {
  std::vector<SceneObject> objects{};  // in reading order
  std::uint64_t noise = 0;             // the seed of its noise

  bool operator==(const Scene&) const = default;
};

// Pairs of colour and shape that training never shows.
bool is_new_pair(ObjectColour colour, ObjectShape shape);

// Anything anywhere.
SceneObject draw_object(Random& random);

// What may be drawn.
struct SceneWish {
  int objects = 1;
  bool new_pair = false;  // whether one object at least is such a pair; otherwise none is
};
// No two objects alike, no two in a cell.
Scene draw_scene(Random& random, const SceneWish& wish);

// 48 x 48 in colour, grey .2 behind, with noise of deviation .05 (or without any).
images::Image picture_of(const Scene& scene, bool noisy = true);
// Which pixels an object has, row after row, and the smallest box around them.
std::vector<bool> mask_of(const SceneObject& object);
images::Box box_of(const std::vector<bool>& mask, std::int64_t width);

}  // namespace heed::corpora

#pragma GCC visibility pop
