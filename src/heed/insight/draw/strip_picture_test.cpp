// SPDX-License-Identifier: Apache-2.0
// Pictures of strips: the same bytes every time, what a change does, and scenes that make no sense.
#include "heed/insight/draw/strip_picture.h"

#include <gtest/gtest.h>

#include <functional>

#include "heed/base/error.h"
#include "heed/base/testing.h"

namespace heed::insight {
namespace {

StripScene small_strip() {
  return {.frames = Tensor::of({4, 2}, {1, 0, 0, 1, 0, 0, 1, 1}),
          .looks = {{.name = "by ctc",
                     .rows = {"", "q", "", "z", ""},
                     .weights = Tensor::of({5, 4}, {0, 0, 0, 0,  //
                                                    1, 0, 0, 0,  //
                                                    0, 1, 0, 0,  //
                                                    0, 0, 1, 1,  //
                                                    0, 0, 0, 0}),
                     .path = {1, 2, 3, 3}},
                    {.rows = {"q"}, .weights = Tensor::of({1, 2}, {0, 1}), .frames_of_state = 2}},
          .spans = {{"q", 0, 2}, {"z", 2, 4}},
          .title = "two labels"};
}

TEST(StripPicture, IsTheSameEveryTimeAndHasItsTitle) {
  const std::string svg = strip_svg(small_strip());
  EXPECT_EQ(svg, strip_svg(small_strip()));
  for (const char* part : {"<svg", "two labels"}) {
    EXPECT_NE(svg.find(part), std::string::npos) << part;
  }
  EXPECT_EQ(strip_png(small_strip()).substr(1, 3), "PNG");
}

TEST(StripPicture, ShowsAChangeOfAWeightAFrameThePathAndASpan) {
  const std::string before = strip_svg(small_strip());
  const auto changed = [&](const std::function<void(StripScene&)>& change) {
    StripScene scene = small_strip();
    change(scene);
    return strip_svg(scene) != before;
  };
  EXPECT_FALSE(changed([](StripScene&) {}));
  EXPECT_TRUE(changed([](StripScene& s) { s.looks[1].weights = Tensor::of({1, 2}, {1, 0}); }));
  EXPECT_TRUE(changed([](StripScene& s) {
    s.frames = Tensor::of({4, 2}, {1, 0, 0, 1, 0, 0, 1, 0});
  }));
  EXPECT_TRUE(changed([](StripScene& s) { s.looks[0].path[1] = 1; }));
  EXPECT_TRUE(changed([](StripScene& s) { s.looks[0].name = "by hand"; }));
  EXPECT_TRUE(changed([](StripScene& s) { s.spans[1].end = 3; }));
}

TEST(StripPicture, ShowsAStripThatNothingWasFoundIn) {
  const StripScene scene{.frames = Tensor::of({2, 2}, {0, -1, 0, 0}), .title = "nothing"};
  EXPECT_NE(strip_svg(scene).find("<svg"), std::string::npos);
}

TEST(StripPicture, RefusesWhatDoesNotFit) {
  const auto refused = [](const std::function<void(StripScene&)>& change) {
    StripScene scene = small_strip();
    change(scene);
    return test::message_of<UsageError>([&] { strip_svg(scene); });
  };
  EXPECT_EQ(refused([](StripScene& s) { s.frames = {}; }),
            "a picture of a strip: there are no frames");
  EXPECT_EQ(refused([](StripScene& s) { s.looks[0].frames_of_state = 2; }),
            "a picture of a strip: weights [5,4] of 5 rows over 4 frames, 2 to a state");
  EXPECT_EQ(refused([](StripScene& s) { s.looks[0].rows.pop_back(); }),
            "a picture of a strip: weights [5,4] of 4 rows over 4 frames, 1 to a state");
  EXPECT_EQ(refused([](StripScene& s) { s.looks[0].path.pop_back(); }),
            "a picture of a strip: a path of 3 states through 4");
  EXPECT_EQ(refused([](StripScene& s) { s.looks[0].path[2] = 5; }),
            "a picture of a strip: a path through row 6 of 5");
  EXPECT_EQ(refused([](StripScene& s) { s.spans[1].end = 5; }),
            "a picture of a strip: a label from frame 2 to before 5 of 4");
}

}  // namespace
}  // namespace heed::insight
