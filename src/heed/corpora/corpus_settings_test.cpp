// SPDX-License-Identifier: Apache-2.0
#include "heed/corpora/corpus_settings.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/testing.h"

namespace heed::corpora {
namespace {

constexpr CorpusSetting kSettings[] = {{"depth", 10, 1, 100, "levels"}, {"width", 3, 2, 9, "more"}};

std::vector<std::int64_t> chosen(const std::vector<std::string>& given) {
  return chosen_settings("trees", kSettings, given);
}

TEST(CorpusSettings, KeepTheirValuesUnlessOthersAreGiven) {
  EXPECT_EQ(chosen({}), (std::vector<std::int64_t>{10, 3}));
  EXPECT_EQ(chosen({"width=9"}), (std::vector<std::int64_t>{10, 9}));
  EXPECT_EQ(chosen({"width=2", "depth=1", "width=4"}), (std::vector<std::int64_t>{1, 4}));
}

TEST(CorpusSettings, SayWhatTheyDoNotTake) {
  const auto message = [](const std::string& word) {
    return test::message_of<UsageError>([&] { chosen({word}); });
  };
  EXPECT_EQ(message("depth"), "corpus trees: a setting is written NAME=NUMBER, not \"depth\"");
  EXPECT_EQ(message("deph=2"),
            "corpus trees: no setting is called \"deph\" (did you mean \"depth\"?); there are "
            "depth, width");
  EXPECT_EQ(message("width=10"), "corpus trees: width of 10; it goes from 2 to 9");
  EXPECT_NE(message("width=many").find("corpus trees: width"), std::string::npos);
  EXPECT_EQ(test::message_of<UsageError>(
                [] { chosen_settings("copy", {}, std::vector<std::string>{"depth=2"}); }),
            "corpus copy: \"depth\" cannot be set; it has no settings");
}

}  // namespace
}  // namespace heed::corpora
