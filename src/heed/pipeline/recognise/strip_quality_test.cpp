// SPDX-License-Identifier: Apache-2.0
#include "heed/pipeline/recognise/strip_quality.h"

#include <gtest/gtest.h>

namespace heed::pipeline {
namespace {

std::int64_t edits(const std::vector<int>& a, const std::vector<int>& b) {
  return label_edits(a, b);
}

TEST(LabelEdits, AreTheFewestChanges) {
  EXPECT_EQ(edits({}, {}), 0);
  EXPECT_EQ(edits({1, 2, 3}, {1, 2, 3}), 0);
  EXPECT_EQ(edits({1, 2, 3}, {1, 3}), 1);
  EXPECT_EQ(edits({1, 3}, {1, 2, 3}), 1);
  EXPECT_EQ(edits({1, 2, 3}, {1, 4, 3}), 1);
  EXPECT_EQ(edits({1, 2, 3, 4}, {2, 3, 4, 1}), 2);
  EXPECT_EQ(edits({}, {5, 5}), 2);
}

TEST(StripQuality, CountsLabelsStripsAndPlaces) {
  StripQuality quality;
  quality.add(std::vector<int>{1, 2, 3}, std::vector<int>{1, 3});
  quality.add(std::vector<int>{1}, std::vector<int>{1});
  EXPECT_DOUBLE_EQ(quality.label_error(), .25);
  EXPECT_DOUBLE_EQ(quality.strip_error(), .5);
  const corpora::Strip strip{.height = 1,
                             .values = std::vector<float>(8),
                             .labels = {0, 1, 2},
                             .labelled = true,
                             .places = {{0, 2}, {4, 6}, {6, 8}}};
  // The first inside; the second at 1 where 4 begins, 3 off; the third nowhere, 8 off.
  quality.add_places(strip, Tensor::of({3, 4}, {1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0}), 2);
  EXPECT_EQ(quality.placed, 3);
  EXPECT_DOUBLE_EQ(quality.mean_frames_off(), 11. / 3);
}

}  // namespace
}  // namespace heed::pipeline
