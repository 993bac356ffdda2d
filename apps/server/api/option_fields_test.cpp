// SPDX-License-Identifier: Apache-2.0
#include "server/api/option_fields.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"

namespace heed::server {
namespace {

enum class Gait { walk, run };

struct Steps {
  std::int64_t steps = 3;
  double first_width = .5;
  bool back = false;
  Gait gait = Gait::walk;
  std::vector<std::string> halts{};
  Options list;
  Steps() {
    list.add("steps", steps, "how many").range(1, 9);
    list.add("first-width", first_width, "how wide").above(0);
    list.add("back", back, "backwards");
    list.add("gait", gait, {"walk", "run"}, "how");
    list.add("halts", halts, "where");
  }
};

TEST(OptionFields, HaveTheRangeTheDefaultAndTheHelpOfTheOption) {
  const Steps steps;
  const Field whole = field_of(steps.list, "steps");
  EXPECT_EQ(whole.kind, FieldKind::whole);
  EXPECT_EQ(whole.otherwise, 3);
  EXPECT_EQ(whole.least, 1);
  EXPECT_EQ(whole.most, 9);
  EXPECT_EQ(whole.help, "how many");
  const Field number = field_of(steps.list, "first-width");
  EXPECT_EQ(number.name, "first_width");
  EXPECT_EQ(number.kind, FieldKind::number);
  EXPECT_TRUE(number.above);
  EXPECT_FALSE(number.most.has_value());
  EXPECT_EQ(field_of(steps.list, "back").kind, FieldKind::flag);
  EXPECT_EQ(field_of(steps.list, "gait").choices, (std::vector<std::string>{"walk", "run"}));
  EXPECT_EQ(field_of(steps.list, "gait").otherwise, "walk");
  EXPECT_EQ(field_of(steps.list, "halts").kind, FieldKind::texts);
  EXPECT_TRUE(field_of(steps.list, "halts").otherwise.is_null());
  EXPECT_THROW(field_of(steps.list, "jump"), InternalError);
}

TEST(OptionFields, SetTheOptionsThatTheBodyHas) {
  Steps steps;
  set_from({{"steps", 7.0}, {"first_width", 0.1}, {"gait", "run"}, {"text", "other"}}, steps.list);
  EXPECT_EQ(steps.steps, 7);
  EXPECT_EQ(steps.first_width, .1);
  EXPECT_EQ(steps.gait, Gait::run);
  EXPECT_FALSE(steps.back);
  set_from({{"halts", "here"}}, steps.list);
  EXPECT_EQ(steps.halts, std::vector<std::string>{"here"});
  set_from({{"halts", {"here", "there"}}}, steps.list);
  EXPECT_EQ(steps.halts, (std::vector<std::string>{"here", "there"}));
}

}  // namespace
}  // namespace heed::server
