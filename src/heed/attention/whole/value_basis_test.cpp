// SPDX-License-Identifier: Apache-2.0
// Values as functions of the place: what a regression gives back, and how many are kept.
#include "heed/attention/whole/value_basis.h"

#include <gtest/gtest.h>

#include <cmath>

namespace heed::attention {
namespace {

TEST(ValueBasis, HasCellsAtTheirCentres) {
  const ValueBasis line({.centres = 4, .widths = {.2}});
  EXPECT_DOUBLE_EQ(line.place(0, 4)[0], .125);
  EXPECT_DOUBLE_EQ(line.place(3, 4)[0], .875);
  const ValueBasis grid({.columns = 3, .centres = 2, .widths = {.5}});
  EXPECT_EQ(grid.size(), 4);
  // Five cells of rows of three: two rows are begun.
  EXPECT_DOUBLE_EQ(grid.place(4, 5)[0], .5);
  EXPECT_DOUBLE_EQ(grid.place(4, 5)[1], .75);
}

// Narrow functions leave gaps between their centres; wide ones do not.
TEST(ValueBasis, GivesASmoothMapBackWhereItsFunctionsOverlap) {
  const auto error = [](double width) {
    const ValueBasis basis({.columns = 14, .centres = 10, .widths = {width}});
    const auto g = basis.regression(196);
    const auto value = [](const std::array<double, 2>& t) {
      return std::sin(4 * t[0]) + std::cos(5 * t[1]) * t[0];
    };
    double off = 0, all = 0;
    for (int y = 2; y < 48; ++y) {
      for (int x = 2; x < 48; ++x) {
        const std::array<double, 2> t{x / 50.0, y / 50.0};
        // A density that is next to a point reads the function there.
        std::vector<double> r(basis.size());
        const double moments[] = {t[0], t[1], 1e-8, 0, 1e-8};
        basis.read(moments, r);
        double found = 0;
        for (std::int64_t l = 0; l < 196; ++l) {
          double weight = 0;
          for (std::size_t j = 0; j < r.size(); ++j) {
            weight += (*g)[static_cast<std::size_t>(l) * r.size() + j] * r[j];
          }
          found += weight * value(basis.place(l, 196));
        }
        off += std::pow(found - value(t), 2);
        all += std::pow(value(t), 2);
      }
    }
    return std::sqrt(off / all);
  };
  EXPECT_LT(error(.1), .015);
  EXPECT_GT(error(std::sqrt(.001)), .2);
}

TEST(ValueBasis, KeepsRegressionsUpToABound) {
  const ValueBasis basis({.centres = 30, .widths = {1.0 / 30, .1}});
  const auto first = basis.regression(8);
  EXPECT_EQ(basis.regression(8), first);
  for (std::int64_t n = 1000; n < 1100; ++n) basis.regression(n);  // 6 million numbers
  EXPECT_NE(basis.regression(8), first);
}

}  // namespace
}  // namespace heed::attention
