// SPDX-License-Identifier: Apache-2.0
#include "heed/insight/draw/text_picture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "heed/base/error.h"
#include "heed/base/testing.h"
#include "heed/insight/draw/matrix_view_testing.h"

namespace heed::insight {
namespace {

TEST(TextLook, ShowsFewQueriesEachAndManyOnAverage) {
  EXPECT_EQ(text_view(small_view()).queries.size(), 3u);
  EXPECT_EQ(text_view(even_view(9, 2)).queries, std::vector<std::string>{"mean of 9 queries"});
  const MatrixView mean = text_view(small_view(), kMeanOfQueries);
  EXPECT_NEAR(mean.weights.at({0, 0}), 1.2 / 3, 1e-5);
  EXPECT_NEAR(mean.weights.at({0, 2}), .75 / 2, 1e-5) << "over the queries that may look there";
}

TEST(TextLook, TakesOneQuery) {
  const MatrixView one = text_view(small_view(), 1);
  EXPECT_EQ(one.queries, std::vector<std::string>{"chat"});
  EXPECT_FLOAT_EQ(one.weights.at({0, 1}), .75f);
  EXPECT_EQ(test::message_of<UsageError>([] { text_view(small_view(), 7); }),
            "no query 7; 'target' has 3, from 0 to 2");
}

// The ground of the first word, read beside its letters.
std::uint32_t ground_of_first(Real weight) {
  MatrixView view = even_view(1, 2);
  view.weights = Tensor::of({1, 2}, {weight, 1});
  return pixels_of(text_drawing(view, {})).at({3, 40});
}

TEST(TextPicture, ColoursWordsByTheirWeightsAndTellsZeroMaskedAndTinyApart) {
  const std::uint32_t zero = ground_of_first(0), tiny = ground_of_first(1e-6f);
  EXPECT_EQ(zero, 0xffffffu);
  EXPECT_NE(tiny, zero);
  EXPECT_NE(ground_of_first(.5f), tiny);
  MatrixView masked = even_view(1, 2);
  masked.weights = Tensor::of({1, 2}, {kMasked, 1});
  const Pixels pixels = pixels_of(text_drawing(masked, {}));
  std::size_t lines = 0;  // of the hatch, along the word's lower edge
  for (double x = 2; x < 20; ++x) lines += pixels.at({x, 44}) != 0xffffff;
  EXPECT_GT(lines, 3u);
  EXPECT_LT(lines, 18u);
}

// How many lines of the ink's colour are below the words, and how long they are.
std::vector<int> underlines_of(const MatrixView& view) {
  const Pixels pixels = pixels_of(text_drawing(view, {}));
  std::vector<int> lengths;
  bool inside = false;
  for (double x = 0; x < static_cast<double>(pixels.width); ++x) {
    const bool ink = pixels.at({x, 22 + 24 + 1}) == 0x16191d;  // name, word, line
    if (ink && !inside) lengths.push_back(0);
    if (ink) ++lengths.back();
    inside = ink;
  }
  return lengths;
}

TEST(TextPicture, UnderlinesRunsWhereWordsAreChosen) {
  MatrixView view = even_view(1, 5);
  view.weights = Tensor::of({1, 5}, {1, .5f, .4f, 1, 0});
  EXPECT_TRUE(underlines_of(view).empty());
  view.chooses = true;
  const std::vector<int> lengths = underlines_of(view);
  ASSERT_EQ(lengths.size(), 2u) << "two neighbours, and one alone";
  EXPECT_GT(lengths[0], 2 * lengths[1]);
}

TEST(TextPicture, BreaksLinesAndStacksQueries) {
  const double one = text_drawing(even_view(1, 5), {}).size.height;
  EXPECT_GT(text_drawing(even_view(1, 100), {}).size.height, 2 * one);
  EXPECT_LE(text_drawing(even_view(1, 100), {}).size.width, 720);
  EXPECT_EQ(text_drawing(even_view(3, 5), {}).size.height, 3 * one);
}

}  // namespace
}  // namespace heed::insight
