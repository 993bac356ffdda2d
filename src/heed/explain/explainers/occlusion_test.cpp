// SPDX-License-Identifier: Apache-2.0
// Words taken away with their neighbours.
#include "heed/explain/testing.h"

#include <gtest/gtest.h>

namespace heed::explain {
namespace {

TEST(Occlusion, SpreadsASpanOverItsWords) {
  // Spans of 2 over 3 words: {0,1} and {1,2}.
  const std::vector<double> found = shares("occlusion(width=2)", SumSubject({1, 2, 4}));
  EXPECT_NEAR(found[0], 1.5, 1e-12);
  EXPECT_NEAR(found[1], 2.25, 1e-12);
  EXPECT_NEAR(found[2], 3, 1e-12);
}

// A grid of 2 x 3.
class GridSubject final : public SumSubject {
 public:
  using SumSubject::SumSubject;
  std::size_t columns() const override { return 3; }
};

TEST(Occlusion, TakesSquaresOfCellsAway) {
  // Of side 2 there are two: cells 0 1 3 4 and cells 1 2 4 5.
  const GridSubject subject({1, 2, 4, 8, 16, 32});
  const std::vector<double> found = shares("occlusion(width=2)", subject);
  const double left = 27. / 4, right = 54. / 4, both = (left + right) / 2;
  const std::vector<double> expected = {left, both, right, left, both, right};
  for (std::size_t t = 0; t < 6; ++t) EXPECT_NEAR(found[t], expected[t], 1e-12);
  EXPECT_EQ(make_explainer("occlusion(width=3)")->explain(subject).undefined,
            "a span is the whole image: without it there is no image");
}

TEST(Occlusion, OfOneWordIsLeaveOneOut) {
  const SumSubject subject({.5, -1, 2, .25}, .3);
  EXPECT_EQ(shares("occlusion(width=1)", subject), shares("leave_one_out", subject));
}

TEST(Occlusion, NeedsWordsThatAreLeft) {
  EXPECT_EQ(make_explainer("occlusion(width=2)")->explain(SumSubject({1, 2})).undefined,
            "a span is the whole text: without it there is no text");
  EXPECT_EQ(shares("occlusion(width=9, removal=zero)", SumSubject({1, 2})).size(), 2u);
}

}  // namespace
}  // namespace heed::explain
