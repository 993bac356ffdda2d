// SPDX-License-Identifier: Apache-2.0
#include "heed/insight/draw/links_picture.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/insight/draw/matrix_view_testing.h"

namespace heed::insight {
namespace {

MatrixView one_query(std::initializer_list<Real> weights) {
  MatrixView view = even_view(1, static_cast<std::int64_t>(weights.size()));
  view.weights = Tensor::of({1, static_cast<std::int64_t>(weights.size())}, weights);
  return view;
}

std::vector<std::int64_t> keys_of(const std::vector<ViewLink>& links) {
  std::vector<std::int64_t> keys;
  for (const ViewLink& link : links) keys.push_back(link.key);
  return keys;
}

TEST(LinksOf, TakesTheHeaviestUntilTheyHoldTheShare) {
  const MatrixView view = one_query({.15f, .5f, .05f, .3f});
  EXPECT_EQ(keys_of(links_of(view, .8)), (std::vector<std::int64_t>{1, 3}));
  EXPECT_EQ(keys_of(links_of(view, .5)), (std::vector<std::int64_t>{1}));
  EXPECT_EQ(keys_of(links_of(view, 1)), (std::vector<std::int64_t>{1, 3, 0, 2}));
}

TEST(LinksOf, LeavesZerosAndMasksOut) {
  EXPECT_EQ(keys_of(links_of(one_query({0, kMasked, 1, 0}), 1)), (std::vector<std::int64_t>{2}));
  EXPECT_TRUE(links_of(one_query({0, kMasked}), 1).empty());
  EXPECT_THROW(links_of(small_view(), 0), UsageError);
  EXPECT_THROW(links_of(small_view(), 1.5), UsageError);
}

// Rows of pixels half-way between the words show one stroke per link.
TEST(LinksPicture, DrawsAStrokeForEachLinkWiderForMoreWeight) {
  MatrixView view = even_view(2, 2);
  view.weights = Tensor::of({2, 2}, {1, 0, 0, .2f});
  const Drawing drawing = links_drawing(view, {});
  const Pixels pixels = pixels_of(drawing);
  std::vector<int> strokes;
  bool inside = false;
  for (std::int64_t x = 0; x < pixels.width; ++x) {
    const bool ink = pixels.at({static_cast<double>(x), drawing.size.height / 2}) != 0xffffff;
    if (ink && !inside) strokes.push_back(0);
    if (ink) ++strokes.back();
    inside = ink;
  }
  ASSERT_EQ(strokes.size(), 2u);
  EXPECT_GT(strokes[0], strokes[1] + 2);
}

// A matching is one stroke for each word, white on black in the classic gray.
TEST(LinksPicture, ShowsAMatchingInEveryColourAndTheme) {
  MatrixView view = even_view(3, 3);
  view.weights = Tensor::of({3, 3}, {0, .98f, .02f, .01f, 0, .99f, 1, 0, 0});
  EXPECT_EQ(links_of(view).size(), 3u);
  for (const Ramp colours : {Ramp::blue, Ramp::cividis, Ramp::gray}) {
    for (const Theme theme : {Theme::light, Theme::dark}) {
      const Drawing drawing = links_drawing(view, {.theme = theme, .colours = colours});
      const Pixels pixels = pixels_of(drawing);
      const double y = drawing.size.height / 2 - 40;  // where the three do not cross
      const std::uint32_t ground = pixels.at({drawing.size.width - 1, y});
      int strokes = 0;
      bool inside = false;
      for (double x = 40; x < drawing.size.width - 1; ++x) {
        const bool ink = pixels.at({x, y}) != ground;
        strokes += ink && !inside;
        inside = ink;
      }
      EXPECT_EQ(strokes, 3);
      EXPECT_EQ(ground == 0, colours == Ramp::gray);
    }
  }
}

TEST(LinksPicture, BeginsAtTheRightWhereWordsAreReadFromThere) {
  const auto first_link = [](std::vector<std::string> words) {
    MatrixView view = even_view(2, 2);
    view.queries = view.keys = std::move(words);
    view.weights = Tensor::of({2, 2}, {1, 0, 0, 0});  // the first word alone
    const Drawing drawing = links_drawing(view, {});
    const Pixels pixels = pixels_of(drawing);
    for (std::int64_t x = 0; x < pixels.width; ++x) {
      if (pixels.at({static_cast<double>(x), drawing.size.height / 2}) != 0xffffff) return x;
    }
    return std::int64_t{-1};
  };
  EXPECT_GT(first_link({"שלום", "שלום"}), first_link({"abcd", "abcd"}) + 20);
}

TEST(LinksPicture, PutsALongTextIntoRowsThatCanBeRead) {
  constexpr std::int64_t kWords = 200;
  MatrixView view = even_view(kWords, kWords);
  for (std::int64_t i = 0; i < kWords; ++i) {
    view.queries[static_cast<std::size_t>(i)] = view.keys[static_cast<std::size_t>(i)] =
        "word" + std::to_string(i);
    for (std::int64_t k = 0; k < kWords; ++k) {
      view.weights.mutable_data()[i * kWords + k] = i == k ? Real{1} : Real{0};
    }
  }
  const Drawing drawing = links_drawing(view, {});
  EXPECT_LT(drawing.size.width, 1600);
  EXPECT_GT(drawing.size.height, 1000);
  EXPECT_LT(drawing.size.height, 4000) << "a row of queries has the keys it looks at, no others";
  const Pixels pixels = pixels_of(drawing);
  // Every row of queries is joined with the keys above it.
  std::int64_t inked = 0;
  bool inside = false;
  for (std::int64_t y = 0; y < pixels.height; ++y) {
    bool ink = false;
    for (std::int64_t x = 0; x < pixels.width && !ink; ++x) {
      ink = pixels.at({static_cast<double>(x), static_cast<double>(y)}) != 0xffffff;
    }
    if (ink && !inside) ++inked;
    inside = ink;
  }
  EXPECT_GE(inked, 5) << "bands, with nothing between them";
  // A few words look as they always did.
  EXPECT_LT(links_drawing(even_view(3, 3), {}).size.height, 250);
}

}  // namespace
}  // namespace heed::insight
