// SPDX-License-Identifier: Apache-2.0
#include "heed/training/config_check.h"

#include <gtest/gtest.h>

namespace heed::training {
namespace {

struct Settings {
  double rate = 0.1;
  std::string name = "a = b\n# c";
  std::int64_t limit = 5;
  Options options;
  Settings() {
    options.add("rate", rate, "how fast\nin units");
    options.add("name", name, "any = text");
    options.add("limit", limit, "how long");
  }
};

TEST(ConfigCheck, FindsNoDifferenceToItself) {
  const Settings settings;
  EXPECT_TRUE(
      config_differences(settings.options.to_toml(), settings.options.to_toml(), {}).empty());
}

TEST(ConfigCheck, ListsChangedNewAndMissingOptions) {
  Settings before;
  Settings now;
  now.rate = 0.2;
  now.name = "a = c\n# c";
  now.limit = 6;
  std::int64_t depth = 3;
  now.options.add("depth", depth, "is new");
  const std::vector<std::string> ignored = {"limit"};
  const auto found =
      config_differences(before.options.to_toml() + "old = true\n", now.options.to_toml(), ignored);
  EXPECT_EQ(difference_lines(found),
            "  depth: was not there, is 3\n"
            "  name: was \"a = b\\u000A# c\", is \"a = c\\u000A# c\"\n"
            "  old: was true, is not there\n"
            "  rate: was 0.1, is 0.2");
}

}  // namespace
}  // namespace heed::training
