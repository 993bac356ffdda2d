// SPDX-License-Identifier: Apache-2.0
// Replays the corpora of all fuzz targets, findings of the past included.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "heed/base/fuzzing.h"
#include "heed/base/testing.h"

namespace heed::test {
namespace {

const std::filesystem::path kCorpora = HEED_SOURCE_DIR "/tests/fuzz";

class Corpus : public testing::TestWithParam<FuzzTarget> {};

TEST_P(Corpus, IsReadAndRefusedAsItsNamesSay) {
  int valid = 0;
  int bad = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kCorpora / GetParam().name)) {
    const std::string name = entry.path().filename();
    const bool good = name.starts_with("valid_");
    ASSERT_TRUE(good || name.starts_with("bad_")) << name << " is neither valid_* nor bad_*";
    // Where a byte too many is read, AddressSanitizer sees it only after a block of that size.
    const std::string content = get(entry.path());
    const std::vector<char> bytes(content.begin(), content.end());
    try {
      EXPECT_EQ(GetParam().read({bytes.data(), bytes.size()}), good) << name;
    } catch (const std::exception& error) {
      ADD_FAILURE() << name << ": " << error.what();
    }
    ++(good ? valid : bad);
  }
  EXPECT_GE(valid, 1);
  EXPECT_GE(bad, 1);
}

INSTANTIATE_TEST_SUITE_P(All, Corpus, testing::ValuesIn(FuzzTarget::listed()),
                         [](const auto& target) { return std::string(target.param.name); });

TEST(Corpora, BelongToATargetEach) {
  std::set<std::string> folders;
  for (const auto& entry : std::filesystem::directory_iterator(kCorpora)) {
    if (entry.is_directory()) folders.insert(entry.path().filename());
  }
  std::set<std::string> targets;
  for (const FuzzTarget& target : FuzzTarget::listed()) targets.emplace(target.name);
  EXPECT_EQ(folders, targets);
}

}  // namespace
}  // namespace heed::test
