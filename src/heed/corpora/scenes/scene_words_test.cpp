// SPDX-License-Identifier: Apache-2.0
// Captions and questions: written out, and found again by looking at the pixels alone.
#include "heed/corpora/scenes/scene_words.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "heed/base/text.h"

namespace heed::corpora {
namespace {

SceneObject object_of(ObjectShape shape, ObjectColour colour, bool large, int row, int column) {
  return {.shape = shape, .colour = colour, .large = large, .row = row, .column = column};
}

TEST(SceneWords, DescribeOneTwoAndThreeObjects) {
  Scene scene{{object_of(ObjectShape::circle, ObjectColour::red, true, 0, 0)}};
  EXPECT_EQ(described(scene).caption, "a large red circle in the upper left");
  scene.objects = {object_of(ObjectShape::square, ObjectColour::blue, false, 0, 0),
                   object_of(ObjectShape::cross, ObjectColour::red, true, 1, 1)};
  const Pictured two = described(scene);
  EXPECT_EQ(two.caption, "a small blue square left of a large red cross");
  using Links = std::vector<std::vector<int>>;
  EXPECT_EQ(two.links, (Links{{}, {0}, {0}, {0}, {0, 1}, {0, 1}, {}, {1}, {1}, {1}}));
  EXPECT_EQ(two.regions[1].name, "large red cross");
  scene.objects = {object_of(ObjectShape::square, ObjectColour::blue, false, 0, 1),
                   object_of(ObjectShape::cross, ObjectColour::red, true, 2, 0),
                   object_of(ObjectShape::triangle, ObjectColour::green, false, 2, 1)};
  EXPECT_EQ(described(scene).caption,
            "a small blue square above a large red cross , and a small green triangle in the lower "
            "middle");
}

// What a cell of the grid shows, from its pixels.
struct Seen {
  std::string name{};
  int row = 0, column = 0;
};

std::vector<Seen> seen_in(const images::Image& image) {
  const std::map<std::string, std::array<double, 3>> colours{
      {"red", {1, 0, 0}},    {"green", {0, 1, 0}},   {"blue", {.2, .2, 1}},
      {"yellow", {1, 1, 0}}, {"purple", {.6, 0, 1}}, {"white", {1, 1, 1}}};
  std::vector<Seen> all;
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column) {
      int pixels = 0, top = 16, bottom = -1, left = 16, right = -1, corners = 0;
      std::array<double, 3> mean{};
      const auto is_object = [&](int y, int x) {
        const auto at = [&](int c) { return image.at(row * 16 + y, column * 16 + x, c); };
        return std::max({at(0), at(1), at(2)}) > .45F;
      };
      for (int y = 0; y < 16; ++y) {
        for (int x = 0; x < 16; ++x) {
          if (!is_object(y, x)) continue;
          ++pixels;
          top = std::min(top, y);
          bottom = std::max(bottom, y);
          left = std::min(left, x);
          right = std::max(right, x);
          for (int c = 0; c < 3; ++c) {
            mean[static_cast<std::size_t>(c)] += image.at(row * 16 + y, column * 16 + x, c);
          }
        }
      }
      if (pixels == 0) continue;
      std::string colour;
      double best = 1e9;
      for (const auto& [name, rgb] : colours) {
        double distance = 0;
        for (std::size_t c = 0; c < 3; ++c) distance += std::pow(mean[c] / pixels - rgb[c], 2);
        if (distance < best) colour = name;
        best = std::min(best, distance);
      }
      for (const int y : {top, bottom}) {
        for (const int x : {left, right}) corners += is_object(y, x) ? 1 : 0;
      }
      const int side = bottom - top + 1;
      // A square has its four corners, a triangle the two below; a cross fills less of its box.
      const bool cross = pixels < (right - left + 1) * side * .65;
      const std::string shape = corners == 4   ? "square"
                                : corners == 2 ? "triangle"
                                : cross        ? "cross"
                                               : "circle";
      all.push_back({(side > 10 ? "large " : "small ") + colour + ' ' + shape, row, column});
    }
  }
  return all;
}

std::string told(const std::vector<Seen>& seen) {
  const auto place = [](const Seen& one) {
    const std::string rows[] = {"upper", "middle", "lower"};
    const std::string columns[] = {"left", "middle", "right"};
    return one.row == 1 && one.column == 1 ? " in the middle"
                                           : " in the " + rows[one.row] + ' ' + columns[one.column];
  };
  std::string text = "a " + seen[0].name;
  if (seen.size() == 1) return text + place(seen[0]);
  const int dx = seen[0].column - seen[1].column, dy = seen[0].row - seen[1].row;
  if (dx * dx >= dy * dy) {
    text += dx < 0 ? " left of" : " right of";
  } else {
    text += " above";  // reading order goes down
  }
  text += " a " + seen[1].name;
  for (std::size_t i = 2; i < seen.size(); ++i) text += " , and a " + seen[i].name + place(seen[i]);
  return text;
}

TEST(SceneWords, AreWhatThePixelsShow) {
  Random random(11);
  std::set<std::string> words;
  for (int i = 0; i < 500; ++i) {
    const Scene scene = draw_scene(random, {.objects = 1 + i % 4, .new_pair = i % 5 == 0});
    const Pictured said = described(scene);
    EXPECT_EQ(told(seen_in(picture_of(scene, false))), said.caption);
    const auto parts = split(said.caption, ' ');
    EXPECT_EQ(parts.size(), said.links.size());
    words.insert(parts.begin(), parts.end());
  }
  EXPECT_EQ(words.size(), 24);
}

TEST(SceneWords, AskWhatHasOneAnswer) {
  const Scene scene{{object_of(ObjectShape::square, ObjectColour::blue, false, 0, 0),
                     object_of(ObjectShape::cross, ObjectColour::blue, true, 0, 2),
                     object_of(ObjectShape::cross, ObjectColour::green, false, 2, 1)}};
  Random random(1);
  const auto questions = questions_about(scene, random);
  const auto answer = [&](const std::string& question) -> std::string {
    for (const PictureQuestion& one : questions) {
      if (one.question == question) return one.answer;
    }
    return "not asked";
  };
  EXPECT_EQ(answer("what colour is the square ?"), "blue");
  EXPECT_EQ(answer("what colour is the cross ?"), "not asked");
  EXPECT_EQ(answer("what colour is the large cross ?"), "blue");
  EXPECT_EQ(answer("what shape is the small blue thing ?"), "square");
  EXPECT_EQ(answer("which column is the green thing in ?"), "middle");
  EXPECT_EQ(answer("how many blue things are there ?"), "two");
  EXPECT_EQ(answer("how many small things are there ?"), "two");
  EXPECT_EQ(answer("is there a green cross ?"), "yes");
  EXPECT_EQ(answer("what shape is left of the blue cross ?"), "square");
  EXPECT_EQ(answer("what colour is below the blue square ?"), "green");
  // Two things are above the green cross.
  EXPECT_EQ(answer("what shape is above the green cross ?"), "not asked");
  for (const PictureQuestion& one : questions) {
    EXPECT_EQ(one.regions.empty(), one.answer == "no") << one.question;
    if (one.kind == "relation") {
      EXPECT_EQ(one.regions.size(), 2);
    }
  }
}

}  // namespace
}  // namespace heed::corpora
