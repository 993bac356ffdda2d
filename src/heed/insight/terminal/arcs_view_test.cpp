// SPDX-License-Identifier: Apache-2.0
#include "heed/insight/terminal/arcs_view.h"

#include <gtest/gtest.h>

#include "heed/base/text.h"
#include "heed/insight/draw/matrix_view_testing.h"

namespace heed::insight {
namespace {

// Each word with the number of its head, its own for the root.
MatrixView hung(std::vector<std::string> words, const std::vector<std::int64_t>& heads) {
  const auto count = static_cast<std::int64_t>(words.size());
  MatrixView view = even_view(count, count);
  view.queries = view.keys = std::move(words);
  view.weights = Tensor::full({count, count}, 0);
  Real* cells = view.weights.mutable_data();
  for (std::int64_t i = 0; i < count; ++i) {
    cells[i * count + heads[static_cast<std::size_t>(i)]] = 1;
  }
  return view;
}

TEST(ArcsText, SetsArcsOverTheWords) {
  EXPECT_EQ(arcs_text(tree_view()),
            " ╭───╮ ╭───╮ ●\n"
            " ▼   │ ▼   │ ▼\n"
            "the  cat  sleeps\n"
            ".95  .80   .97\n");
}

TEST(ArcsText, LetsLongArcsPassOverShortOnes) {
  EXPECT_EQ(arcs_text(hung({"a", "big", "cat", "sat", "down"}, {2, 2, 3, 3, 3})),
            " ╭─────────╮\n"
            " │    ╭───╮│╭──╮●╭───╮\n"
            " ▼    ▼   ││▼  │▼│   ▼\n"
            " a   big  cat  sat  down\n"
            "1.0  1.0  1.0  1.0  1.0\n");
}

TEST(ArcsText, CrossesArcsThatCross) {
  const std::string text = arcs_text(hung({"aaa", "bbb", "ccc", "ddd"}, {2, 3, 2, 3}));
  EXPECT_NE(text.find("┼"), std::string::npos) << text;
}

TEST(ArcsText, SetsAWordToALineWhereTheLineIsTooLong) {
  const MatrixView view =
      hung({"the", "cat", "that", "you", "saw", "sleeps", "here"}, {1, 5, 4, 4, 1, 5, 5});
  EXPECT_EQ(arcs_text(view, {.width = 30}),
            "   ╭▶ the     cat 1.0\n"
            "╭┬─┴▶ cat     sleeps 1.0\n"
            "││╭─▶ that    saw 1.0\n"
            "│││╭▶ you     saw 1.0\n"
            "│╰┴┴▶ saw     cat 1.0\n"
            "╰──┬● sleeps  root 1.0\n"
            "   ╰▶ here    sleeps 1.0\n");
}

TEST(ArcsText, OnlyNamesHeadsOnANarrowScreen) {
  EXPECT_EQ(arcs_text(tree_view(), {.width = 15}),
            "the     cat .95\n"
            "cat     sleeps .80\n"
            "sleeps  root .97\n");
}

TEST(ArcsText, NeverGoesBeyondTheScreen) {
  for (const std::int64_t words : {1, 5, 12, 40, 150}) {
    std::vector<std::string> names;
    std::vector<std::int64_t> heads;
    for (std::int64_t i = 0; i < words; ++i) {
      names.push_back("word" + std::to_string(i));
      heads.push_back(i * 7 % words);
    }
    for (const std::size_t width : {24, 40, 80, 200}) {
      const std::string text = arcs_text(hung(names, heads), {.width = width});
      for (const std::string_view line : split(text, '\n')) {
        EXPECT_LE(display_width(line), width) << words << " words\n" << text;
      }
    }
  }
}

TEST(ArcsText, ShowsAllWordsAndSaysWhenOneHasNoHead) {
  MatrixView view = tree_view();
  view.weights = Tensor::of({3, 3}, {kMasked, kMasked, kMasked, 0, 1, 0, 0, 1, 0});
  EXPECT_EQ(arcs_text(view),
            "     ● ╭────╮\n"
            "     ▼ │    ▼\n"
            "the  cat  sleeps\n"
            "     1.0   1.0\n");
  EXPECT_NE(arcs_text(view, {.width = 15}).find("the     nothing\n"), std::string::npos)
      << arcs_text(view, {.width = 15});
}

TEST(ArcsText, ColoursWeights) {
  const Screen screen{.colour = Colour::full};
  EXPECT_NE(arcs_text(tree_view(), screen).find(shaded(".97", 1, screen)), std::string::npos);
}

}  // namespace
}  // namespace heed::insight
