// SPDX-License-Identifier: Apache-2.0
// Pictures of tapes: strips over the same steps, the same bytes every time, and scenes that make no
// sense.
#include "heed/insight/draw/tape_picture.h"

#include <gtest/gtest.h>

#include "heed/attention/observer.h"
#include "heed/base/error.h"
#include "heed/base/testing.h"

namespace heed::insight {
namespace {

TapeScene small_tape() {
  return {.strips = {{"input", Tensor::of({3, 2}, {1, 0, 0, 1, 0, 0})},
                     {"output", Tensor::of({3, 1}, {attention::kMasked, attention::kMasked, 1})}},
          .weights = {{"writes", Tensor::of({3, 4}, {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0})}},
          .marks = {2},
          .title = "two vectors"};
}

TEST(TapePicture, IsTheSameEveryTimeAndHasItsTitle) {
  const std::string svg = tape_svg(small_tape());
  EXPECT_EQ(svg, tape_svg(small_tape()));
  for (const char* part : {"<svg", "two vectors"}) {
    EXPECT_NE(svg.find(part), std::string::npos) << part;
  }
  EXPECT_EQ(tape_png(small_tape()).substr(1, 3), "PNG");
}

TEST(TapePicture, DashesALineWhereSlotsWereOverwritten) {
  const auto dashed = [](const TapeScene& scene) {
    return tape_svg(scene).find("stroke-dasharray") != std::string::npos;
  };
  TapeScene scene = small_tape();
  EXPECT_TRUE(dashed(scene));
  scene.marks.clear();
  EXPECT_FALSE(dashed(scene));
}

TEST(TapePicture, ShowsAChangeOfOneCell) {
  TapeScene scene = small_tape();
  const std::string before = tape_svg(scene);
  scene.weights[0].values = Tensor::of({3, 4}, {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1});
  EXPECT_NE(tape_svg(scene), before);
}

TEST(TapePicture, RefusesWhatDoesNotFit) {
  const auto refused = [](const TapeScene& scene) {
    return test::message_of<UsageError>([&] { tape_svg(scene); });
  };
  EXPECT_EQ(refused({}), "a picture of a tape: there are no strips");
  TapeScene scene = small_tape();
  scene.weights[0].values = Tensor::zeros({2, 4});
  EXPECT_EQ(refused(scene),
            "a picture of a tape: \"writes\" is [2,4]; all strips are [steps, rows] alike");
  scene = small_tape();
  scene.marks = {3};
  EXPECT_EQ(refused(scene), "a picture of a tape: a mark at step 4 of 3");
}

}  // namespace
}  // namespace heed::insight
