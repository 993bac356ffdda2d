// SPDX-License-Identifier: Apache-2.0
#include "heed/text/sample_lines.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "heed/base/error.h"
#include "heed/base/testing.h"
#include "heed/text/testing.h"

namespace heed::text {
namespace {

using test::holds;
using test::message_of;
using test::put;
using test::TemporaryFolder;

TEST(SampleLines, TakeAllWhenThereAreFewAndLeaveOutEmptyOnes) {
  const TemporaryFolder folder;
  put(folder / "a", "one\n\ntwo\n");
  put(folder / "b", " \nthree\n");
  const std::vector<std::filesystem::path> files = {folder / "a", folder / "b"};
  const std::vector<std::string> all = {"one", "two", "three"};
  EXPECT_EQ(sample_lines(files, {.lines = 3}), all);
  EXPECT_EQ(sample_lines(files, {.lines = 0}), all);
}

TEST(SampleLines, AreEachAsLikelyAndInOrder) {
  const TemporaryFolder folder;
  put(folder / "f", "a\nb\nc\nd\ne\n");
  const std::vector<std::filesystem::path> files = {folder / "f"};
  std::map<std::string, int> counts;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const std::vector<std::string> lines = sample_lines(files, {.lines = 2, .seed = seed});
    ASSERT_EQ(lines.size(), 2u);
    ASSERT_LT(lines[0], lines[1]);
    for (const std::string& line : lines) ++counts[line];
  }
  // 400 expected, deviation 15.5.
  for (const auto& [line, count] : counts) EXPECT_NEAR(count, 400, 62) << line;
  EXPECT_EQ(sample_lines(files, {.lines = 2, .seed = 9}),
            sample_lines(files, {.lines = 2, .seed = 9}));
}

TEST(SampleLines, NeedText) {
  const TemporaryFolder folder;
  put(folder / "f", "\n");
  const std::vector<std::filesystem::path> files = {folder / "f"};
  EXPECT_TRUE(holds(message_of<DataError>([&] { sample_lines(files, {}); }), "no line of text"));
}

TEST(SamplePairs, KeepTheSidesTogetherAndGoBack) {
  const TemporaryFolder folder;
  put(folder / "f", "a\tA\nb\tB\n\tX\nc\tC\nd\tD\n");
  PairReader reader({.source = folder / "f"});
  const std::vector<LinePair> pairs = sample_pairs(reader, {.lines = 3, .seed = 2});
  ASSERT_EQ(pairs.size(), 3u);
  for (const LinePair& pair : pairs) EXPECT_EQ(pair.source[0] - 'a', pair.target[0] - 'A');
  EXPECT_EQ(count_pairs(reader), 4u);
}

TEST(SamplePairs, SayWhetherLinesOrPairsAreMissing) {
  const TemporaryFolder folder;
  put(folder / "f", "\n\n");
  PairReader lines({.source = folder / "f", .columns = Columns::source});
  EXPECT_TRUE(holds(message_of<DataError>([&] { sample_pairs(lines, {}); }), "no line with text"));
  put(folder / "f", "one\n");
  PairReader held({.source = folder / "f", .columns = Columns::source},
                  [](std::uint64_t) { return false; });
  EXPECT_TRUE(holds(message_of<DataError>([&] { sample_pairs(held, {}); }),
                    "1 line with text, all held out"));
}

}  // namespace
}  // namespace heed::text
