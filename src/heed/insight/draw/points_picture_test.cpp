// SPDX-License-Identifier: Apache-2.0
// Pictures of points: what they hold, the same bytes every time, and scenes that make no sense.
#include "heed/insight/draw/points_picture.h"

#include <gtest/gtest.h>

#include "heed/attention/observer.h"
#include "heed/base/error.h"
#include "heed/base/testing.h"

namespace heed::insight {
namespace {

PointScene triangle_scene() {
  return {.points = {{0, 0}, {1, 0}, {.5, 1}, {.5, .3}},
          .found = {0, 1, 2},
          .known = {0, 1, 2},
          .weights = Tensor::of({2, 5}, {attention::kMasked, .7f, .1f, .1f, .1f,  //
                                         attention::kMasked, attention::kMasked, .8f, .1f, .1f}),
          .title = "hull of four"};
}

std::size_t times(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(PointsPicture, IsTheSameEveryTimeAndSaysItsTitle) {
  const std::string svg = points_svg(triangle_scene());
  EXPECT_EQ(svg, points_svg(triangle_scene()));
  EXPECT_NE(svg.find("<svg"), std::string::npos) << svg.substr(0, 40);
  EXPECT_NE(svg.find("hull of four"), std::string::npos);
  EXPECT_EQ(points_png(triangle_scene()).substr(1, 3), "PNG");
}

// Each step has a ray for every choice that has weight, and the way has three sides.
TEST(PointsPicture, DrawsRaysWhereThereAreWeights) {
  PointScene scene = triangle_scene();
  const std::size_t with = times(points_svg(scene), "stroke-width");
  scene.weights = {};
  const std::size_t without = times(points_svg(scene), "stroke-width");
  EXPECT_GE(with, without + 3);
}

TEST(PointsPicture, DrawsNumbersInRows) {
  PointScene scene{
      .points = {{.5, 0}, {.1, 0}, {.9, 0}}, .found = {1, 0, 2}, .closed = false, .numbers = true};
  EXPECT_NE(points_svg(scene), "");
}

TEST(PointsPicture, RefusesWhatDoesNotFit) {
  const auto refused = [](const PointScene& scene) {
    return test::message_of<UsageError>([&] { points_svg(scene); });
  };
  EXPECT_EQ(refused({}), "a picture of points: there are none");
  PointScene scene = triangle_scene();
  scene.found = {0, 4};
  EXPECT_EQ(refused(scene), "a picture of points: a route names point 5 of 4");
  scene = triangle_scene();
  scene.weights = Tensor::zeros({2, 4});
  EXPECT_EQ(refused(scene),
            "a picture of points: weights [2,4] for 4 points; [steps, points + 1] is needed");
}

}  // namespace
}  // namespace heed::insight
