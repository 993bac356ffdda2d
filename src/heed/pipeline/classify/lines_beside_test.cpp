// SPDX-License-Identifier: Apache-2.0
#include "heed/pipeline/classify/lines_beside.h"

#include <gtest/gtest.h>

#include <vector>

#include "heed/base/file.h"
#include "heed/base/testing.h"

namespace heed::pipeline {
namespace {

TEST(LinesBeside, AreOneForEachText) {
  test::TemporaryFolder folder;
  write_atomically(folder / "gold", "a\n\nc\n");
  std::vector<std::string> lines;
  std::string last;
  const auto keep = [&](std::size_t text, const std::string& line, const std::string& where) {
    EXPECT_EQ(text, lines.size());
    lines.push_back(line);
    last = where;
  };
  read_beside(folder / "gold", 3, "texts", keep);
  EXPECT_EQ(lines, (std::vector<std::string>{"a", "", "c"}));
  EXPECT_TRUE(last.ends_with("gold:3")) << last;
  const auto message = [&](std::size_t texts) {
    lines.clear();
    return test::message_of<DataError>([&] { read_beside(folder / "gold", texts, "texts", keep); });
  };
  EXPECT_NE(message(2).find("gold has 3 lines and texts has 2 texts"), std::string::npos);
  EXPECT_NE(message(4).find("gold has 3 lines and texts has 4 texts"), std::string::npos);
}

}  // namespace
}  // namespace heed::pipeline
