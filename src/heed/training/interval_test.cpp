// SPDX-License-Identifier: Apache-2.0
#include "heed/training/interval.h"

#include <gtest/gtest.h>

#include "heed/base/testing.h"

namespace heed::training {
namespace {

TEST(Interval, ReadsNumberAndUnit) {
  using Unit = Interval::Unit;
  const auto expect = [](const char* text, std::int64_t count, Unit unit) {
    const Interval interval = parse_interval(text, "--save-every");
    EXPECT_EQ(interval.count, count) << text;
    EXPECT_EQ(interval.unit, unit) << text;
  };
  expect("500", 500, Unit::updates);
  expect(" 20 updates ", 20, Unit::updates);
  expect("1 epoch", 1, Unit::epochs);
  expect("3epochs", 3, Unit::epochs);
  expect("10 minutes", 10, Unit::minutes);
}

TEST(Interval, RefusesAllElse) {
  for (const char* text :
       {"", "0", "-3", "epoch", "5 hours", "1.5 epochs", "9999999999999999999"}) {
    EXPECT_EQ(heed::test::message_of<UsageError>([&] {
                parse_interval(text, "--save-every");
              }).substr(0, 15),
              "--save-every is")
        << text;
  }
}

}  // namespace
}  // namespace heed::training
