// SPDX-License-Identifier: Apache-2.0
#include "heed/insight/draw/arcs.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/testing.h"
#include "heed/insight/draw/matrix_view_testing.h"

namespace heed::insight {
namespace {

std::vector<std::vector<std::int64_t>> ends_of(const std::vector<ViewArc>& arcs) {
  std::vector<std::vector<std::int64_t>> ends;
  for (const ViewArc& arc : arcs) ends.push_back({arc.dependant, arc.head, arc.likeliest});
  return ends;
}

TEST(ArcsOf, TakesTheHeaviestKeyAndOthersOfATenth) {
  EXPECT_EQ(ends_of(arcs_of(tree_view())),
            (std::vector<std::vector<std::int64_t>>{{0, 1, 1}, {1, 2, 1}, {1, 0, 0}, {2, 2, 1}}));
  EXPECT_EQ(arcs_of(tree_view(), 0).size(), 6u) << "all that is above zero";
  EXPECT_EQ(arcs_of(tree_view(), 1).size(), 3u) << "a head for each word";
  EXPECT_TRUE(arcs_of(tree_view()).back().from_root());
  EXPECT_FALSE(arcs_of(tree_view()).front().from_root());
}

TEST(ArcsOf, MeasuresTheTenthByWhatTheRowHolds) {
  MatrixView view = even_view(2, 2);
  view.weights = Tensor::of({2, 2}, {.01f, .05f, 9, .5f});
  EXPECT_EQ(ends_of(arcs_of(view)),
            (std::vector<std::vector<std::int64_t>>{{0, 1, 1}, {0, 0, 0}, {1, 0, 1}}));
}

TEST(ArcsOf, LeavesZerosAndMasksOut) {
  MatrixView view = even_view(2, 2);
  view.weights = Tensor::of({2, 2}, {kMasked, kMasked, 0, .5f});
  EXPECT_EQ(ends_of(arcs_of(view, 0)), (std::vector<std::vector<std::int64_t>>{{1, 1, 1}}));
  EXPECT_EQ(arcs_of(even_view(3, 3), 1).back().head, 0) << "the first of equals";
  EXPECT_THROW(arcs_of(even_view(2, 3)), UsageError);
}

TEST(ArcsView, IsOfTheFirstSetThatLooksAtItself) {
  EXPECT_EQ(arcs_view(small_document().examples[0]).title,
            "decoder self, layer 1, mean of 3 heads");
  EXPECT_EQ(arc_share({}), kArcShare);
  EXPECT_EQ(arc_share({.threshold = .02}), 0) << "the threshold says what is left out";
}

TEST(ArcsView, SaysWhichSetsWouldDo) {
  TracedExample example = small_document().examples[0];
  EXPECT_EQ(test::message_of<UsageError>([&] { arcs_view(example, {.set = "cross"}); }),
            "arcs join the words of one text, and set 'cross' looks from 'target' at 'source'; "
            "choose the set decoder self");
  EXPECT_EQ(test::message_of<UsageError>([&] { arcs_view(example, {.set = "cros"}); }),
            "no set 'cros'; this trace has cross, decoder self");
  example.attentions.pop_back();
  EXPECT_EQ(test::message_of<UsageError>([&] { arcs_view(example); }),
            "arcs join the words of one text, and set 'cross' looks from 'target' at 'source'; "
            "this trace has no set that would do: take another form");
}

}  // namespace
}  // namespace heed::insight
