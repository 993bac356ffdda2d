// SPDX-License-Identifier: Apache-2.0
#include "heed/pipeline/held_out.h"

#include <gtest/gtest.h>

#include <set>

#include "heed/base/testing.h"

namespace heed::pipeline {
namespace {

TEST(HeldOut, DividesTheLinesOfOneFile) {
  const test::TemporaryFolder folder;
  std::string lines;
  for (int i = 0; i < 200; ++i) lines += "line\twith a tab\n";
  test::put(folder / "train", lines);
  const std::string file = (folder / "train").string();
  const text::HoldOut held{.fraction = .2, .seed = 3};
  std::set<std::uint64_t> seen;
  text::PairReader reader = training_lines(plain_lines(file), held);
  for (text::LinePair line; reader.next(line);) {
    EXPECT_EQ(line.source, "line\twith a tab");
    seen.insert(line.line);
  }
  const HeldOutLines rest = held_out_lines({}, plain_lines(file), held);
  EXPECT_EQ(rest.name, file);
  EXPECT_NEAR(static_cast<double>(rest.lines.size()), 40, 20);
  for (const text::LinePair& line : rest.lines) EXPECT_TRUE(seen.insert(line.line).second);
  EXPECT_EQ(seen.size(), 200u);
}

TEST(HeldOut, TakesAFileOfItsOwnWhole) {
  const test::TemporaryFolder folder;
  test::put(folder / "valid", "a\n\nb\n");
  const HeldOutLines held =
      held_out_lines(plain_lines((folder / "valid").string()), plain_lines("none"), {});
  ASSERT_EQ(held.lines.size(), 2u);
  EXPECT_EQ(held.lines[1].line, 3u);
  EXPECT_TRUE(held_out_lines({}, plain_lines("none"), {}).lines.empty());
}

TEST(HeldOut, SaysWhenNothingIsLeftToValidateWith) {
  const test::TemporaryFolder folder;
  test::put(folder / "train", "a\nb\n");
  EXPECT_TRUE(test::message_of<DataError>([&] {
                held_out_lines({}, plain_lines((folder / "train").string()), {.fraction = 1e-9});
              }).find("no line of text is held out") != std::string::npos);
}

}  // namespace
}  // namespace heed::pipeline
