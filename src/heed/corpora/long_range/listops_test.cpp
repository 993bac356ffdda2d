// SPDX-License-Identifier: Apache-2.0
#include "heed/corpora/long_range/listops.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <vector>

#include "heed/base/testing.h"
#include "heed/base/text.h"
#include "heed/corpora/corpus.h"

namespace heed::corpora {
namespace {

struct Read {
  int value = 0;
  std::size_t deepest = 0, most = 0, words = 0;
};

// Word by word with a stack, the arguments of each list sorted: another way than the one that
// makes them.
Read read_list(std::string_view text) {
  struct Open {
    std::string_view name;
    std::vector<int> arguments;
  };
  std::vector<Open> stack{{"whole", {}}};
  Read read;
  for (const std::string_view word : split(text, ' ')) {
    ++read.words;
    if (word.starts_with('[')) {
      stack.push_back({word.substr(1), {}});
      read.deepest = std::max(read.deepest, stack.size() - 1);
    } else if (word == "]") {
      Open list = stack.back();
      stack.pop_back();
      std::vector<int>& found = list.arguments;
      std::ranges::sort(found);
      read.most = std::max(read.most, found.size());
      const double middle = .5 * (found[(found.size() - 1) / 2] + found[found.size() / 2]);
      const std::map<std::string_view, int> values{
          {"MAX", found.back()},
          {"MIN", found.front()},
          {"MED", static_cast<int>(middle)},
          {"SM", std::accumulate(found.begin(), found.end(), 0) % 10}};
      stack.back().arguments.push_back(values.at(list.name));
    } else {
      stack.back().arguments.push_back(static_cast<int>(parse_integer(word, "word")));
    }
  }
  EXPECT_EQ(stack.size(), 1u);
  EXPECT_EQ(stack[0].arguments.size(), 1u);
  read.value = stack[0].arguments.at(0);
  return read;
}

TEST(ListOps, AreReadByTheTestAsTheArenaReadsThem) {
  EXPECT_EQ(read_list("[MAX 4 3 [MIN 2 3 ] 1 0 [MED 1 5 8 9 2 ] ]").value, 5);
  EXPECT_EQ(read_list("[MED 1 4 ]").value, 2) << "2.5 rounded down";
  EXPECT_EQ(read_list("[MED 9 1 4 2 ]").value, 3);
  EXPECT_EQ(read_list("[SM 9 8 [SM 2 1 ] ]").value, 0);
}

TEST(ListOps, HaveTheValueAndTheWordsThatAreAskedFor) {
  Random random(1);
  for (std::int64_t words = 4; words < 300; ++words) {
    const int value = static_cast<int>(words % 10);
    const std::string text = draw_listops(random, {.words = words}, value);
    const Read read = read_list(text);
    ASSERT_EQ(read.value, value) << text;
    ASSERT_EQ(read.words, static_cast<std::size_t>(words)) << text;
  }
}

TEST(ListOps, KeepToTheirDepthAndArgumentsAndReachThem) {
  Random random(2);
  std::size_t deepest = 0, most = 0;
  for (int i = 0; i < 200; ++i) {
    const Read read =
        read_list(draw_listops(random, {.words = 120, .depth = 4, .arguments = 5}, i % 10));
    deepest = std::max(deepest, read.deepest);
    most = std::max(most, read.most);
  }
  EXPECT_EQ(deepest, 4u);
  EXPECT_EQ(most, 5u);
}

// Two levels of two: [MAX [MIN 1 2 ] [MIN 3 4 ] ].
TEST(ListOps, FillAllTheRoomThereIsAndSayWhereItEnds) {
  Random random(3);
  EXPECT_EQ(read_list(draw_listops(random, {.words = 10, .depth = 2, .arguments = 2}, 7)).value, 7);
  EXPECT_EQ(test::message_of<UsageError>(
                [&] { draw_listops(random, {.words = 11, .depth = 2, .arguments = 2}, 7); }),
            "listops: lists 2 deep of up to 2 arguments have 10 words at most, and 11 are asked "
            "for; let them be deeper, or have more arguments");
  EXPECT_EQ(test::message_of<UsageError>([&] { draw_listops(random, {.words = 3}, 0); }),
            "listops: a list of 3 words; the shortest has 4, such as [MAX 1 2 ]");
}

TEST(ListOps, OfTheCorpusHaveItsLengthsAndItsLabels) {
  const Corpus corpus = make_corpus(
      "listops",
      {.size = 200, .min_length = 50, .max_length = 90, .settings = {"depth=3", "arguments=6"}});
  std::array<int, 10> labels{};
  for (const Example& example : corpus.train) {
    const Read read = read_list(example.source);
    EXPECT_EQ(example.labels[0], std::to_string(read.value));
    EXPECT_GE(read.words, 50u);
    EXPECT_LE(read.words, 90u);
    EXPECT_LE(read.deepest, 3u);
    EXPECT_LE(read.most, 6u);
    ++labels[static_cast<std::size_t>(read.value)];
  }
  EXPECT_EQ(*std::ranges::min_element(labels), 18);
  EXPECT_EQ(*std::ranges::max_element(labels), 19);
}

}  // namespace
}  // namespace heed::corpora
