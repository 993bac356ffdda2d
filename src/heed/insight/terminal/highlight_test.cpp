// SPDX-License-Identifier: Apache-2.0
#include "heed/insight/terminal/highlight.h"

#include <gtest/gtest.h>

#include <limits>

#include "heed/base/error.h"

namespace heed::insight {
namespace {

const std::vector<std::string> kWords = {"a", "gorgeous", ",", "witty", "film"};
const std::vector<double> kWeights = {.03, .58, .02, .31, .06};

TEST(Highlight, PutsNumbersBehindWordsOfMoreThanMeanWeight) {
  EXPECT_EQ(highlight(kWords, kWeights), "a gorgeous[.58] , witty[.31] film\n");
}

TEST(Highlight, TellsSignsApart) {
  const std::vector<std::string> words = {"clean", "but", "rude"};
  const std::vector<double> weights = {-2, .1, 1};
  EXPECT_EQ(highlight(words, weights), "clean[-2.0] but rude\n");
  const Screen colours{.colour = Colour::full};
  const std::vector<double> half = {-1, 0, .5}, other = {1, 0, .5};
  EXPECT_NE(highlight(words, half, colours), highlight(words, other, colours));
}

TEST(Highlight, BreaksLinesAtTheScreensWidth) {
  EXPECT_EQ(highlight(kWords, kWeights, {.width = 20}), "a gorgeous[.58] ,\nwitty[.31] film\n");
}

TEST(Highlight, ColoursTheBackgroundByTheShareOfTheLargest) {
  const std::string text = highlight(kWords, kWeights, {.colour = Colour::full});
  EXPECT_NE(text.find(shaded("gorgeous", 1, {.colour = Colour::full})), text.npos);
  EXPECT_NE(text.find(shaded("witty", .31 / .58, {.colour = Colour::full})), text.npos);
  EXPECT_EQ(text.find('['), text.find("\x1b[") + 1) << "no numbers beside colours";
}

TEST(Highlight, MarksMaskedWordsAndKeepsControlCharactersAway) {
  const std::vector<std::string> words = {"a", "\x1b[2Jb", "c"};
  const std::vector<double> weights = {.75, .25, std::numeric_limits<double>::quiet_NaN()};
  EXPECT_EQ(highlight(words, weights), "a[.75] ␛[2Jb /c\n");
  EXPECT_EQ(highlight(words, weights, {.width = 15}), "a[.75] ␛[2Jb /c\n");
  EXPECT_EQ(highlight(words, weights, {.width = 14}), "a[.75] ␛[2Jb\n/c\n");
}

TEST(HighlightChosen, UnderlinesRunsOfChosenWords) {
  const std::vector<std::string> words = {"the", "staff", "was", "rude", "to", "us"};
  const std::vector<double> weights = {.1, .93, .71, .98, .02, .5};
  EXPECT_EQ(highlight_chosen(words, weights), "the _staff[.93] was[.71] rude[.98]_ to _us_\n");
  EXPECT_EQ(highlight_chosen(words, weights, {.width = 24}),
            "the _staff[.93] was[.71]\nrude[.98]_ to _us_\n");
  const Screen full{.colour = Colour::full};
  const std::string text = highlight_chosen(words, weights, full);
  const auto mark = [&](std::size_t i) {
    return "\x1b[4m" + shaded(words[i], weights[i] / .98, full) + "\x1b[0m";
  };
  EXPECT_NE(text.find(" " + mark(1) + "\x1b[4m \x1b[0m" + mark(2) + "\x1b[4m \x1b[0m" + mark(3) +
                      " " + shaded("to", .02 / .98, full) + " " + mark(5) + "\n"),
            std::string::npos)
      << text;
}

TEST(Highlight, TakesAWeightForEachWord) {
  EXPECT_THROW(highlight(kWords, std::vector<double>{1}), UsageError);
  EXPECT_EQ(highlight({}, {}), "\n");
}

}  // namespace
}  // namespace heed::insight
