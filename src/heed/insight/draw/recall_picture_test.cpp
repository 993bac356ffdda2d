// SPDX-License-Identifier: Apache-2.0
// Pictures of recalls: what they hold, and scenes that make no sense.
#include "heed/insight/draw/recall_picture.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/testing.h"

namespace heed::insight {
namespace {

RecallScene small_recall() {
  return {.columns = 2,
          .states = {{1, 0, -1, 0}, {1, -1, -1, 1}},
          .energies = {1.25, .5},
          .weights = {{.75, .25}, {1, 0}},
          .names = {"one", "two"},
          .known = {1, -1, -1, 1},
          .title = "half a square"};
}

TEST(RecallPicture, ShowsStatesEnergiesAndWeights) {
  const std::string svg = recall_svg(small_recall());
  EXPECT_EQ(svg, recall_svg(small_recall()));
  EXPECT_NE(svg.find("half a square"), std::string::npos);
  RecallScene unknown = small_recall();
  unknown.known.clear();
  EXPECT_LT(recall_svg(unknown).size(), svg.size());
  EXPECT_EQ(recall_png(small_recall()).substr(1, 3), "PNG");
}

TEST(RecallPicture, RefusesWhatDoesNotFit) {
  const auto refused = [](const RecallScene& scene) {
    return test::message_of<UsageError>([&] { recall_svg(scene); });
  };
  EXPECT_EQ(refused({}), "a picture of a recall: there is no state to draw");
  RecallScene scene = small_recall();
  scene.energies.pop_back();
  EXPECT_EQ(
      refused(scene),
      "a picture of a recall: 2 states of 4 units in 2 columns, 1 energies, 2 rows of weights "
      "of 2 patterns; these do not fit each other");
}

}  // namespace
}  // namespace heed::insight
