// SPDX-License-Identifier: Apache-2.0
// Tests of the progress line through a sink and a clock of their own.
#include "heed/base/progress.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "heed/base/text.h"

namespace heed {
namespace {

constexpr std::string_view kErase = "\r\x1b[K";

// A terminal in memory.
struct Screen {
  std::string written;
  double now = 100;
  std::size_t width = 80;
  int draws = 0;

  ProgressSink sink(bool live = true) {
    return {.live = live,
            .width = [this] { return width; },
            .write =
                [this](std::string_view text) {
                  written += text;
                  ++draws;
                },
            .seconds = [this] { return now; }};
  }
  // What is on the line now.
  std::string line() const { return written.substr(written.rfind(kErase) + kErase.size()); }
};

TEST(Progress, ShowsShareBarCountTimeLeftAndNote) {
  Screen screen;
  screen.width = 100;
  Progress progress({.what = "train", .total = 1000}, screen.sink());
  screen.now += 45;
  progress.update(450, "loss 2.310");
  // 450 in 45 s: the other 550 take 55 s. Of the 30 columns of the bar 0.45 are 13.
  EXPECT_EQ(screen.line(),
            "train   45%  [#############.................]  450/1000  55.0 s left  loss 2.310");
}

TEST(Progress, IsSilentForTwoSeconds) {
  Screen screen;
  {
    Progress progress({.what = "quick", .total = 10}, screen.sink());
    screen.now += 1.99;
    progress.update(9);
  }
  EXPECT_EQ(screen.written, "");
}

TEST(Progress, IsSilentWhereNobodyWatches) {
  Screen screen;
  {
    Progress progress({.what = "train", .total = 10}, screen.sink(false));
    screen.now += 60;
    progress.update(5);
    progress.clear();
  }
  EXPECT_EQ(screen.written, "");
}

TEST(Progress, DrawsAtMostTenTimesASecond) {
  Screen screen;
  Progress progress({.what = "train", .total = 100000}, screen.sink());
  screen.now += 2;
  for (int i = 0; i < 10000; ++i) {
    screen.now += 0.0001;  // one second in all
    progress.update(static_cast<std::uint64_t>(i));
  }
  EXPECT_GE(screen.draws, 9);
  EXPECT_LE(screen.draws, 11);
}

TEST(Progress, LeavesAnEmptyLineAtTheEndAndAfterAnException) {
  Screen screen;
  {
    Progress progress({.what = "train", .total = 10}, screen.sink());
    screen.now += 3;
    progress.update(5);
    EXPECT_NE(screen.line(), "");
  }
  EXPECT_EQ(screen.line(), "");
  Screen other;
  try {
    Progress progress({.what = "train", .total = 10}, other.sink());
    other.now += 3;
    progress.update(5);
    throw std::runtime_error("stop");
  } catch (const std::runtime_error&) {
  }
  EXPECT_EQ(other.line(), "");
}

TEST(Progress, GivesWayAndComesBack) {
  Screen screen;
  Progress progress({.what = "train", .total = 10}, screen.sink());
  screen.now += 3;
  progress.update(5);
  progress.clear();
  EXPECT_EQ(screen.line(), "");
  const int draws = screen.draws;
  progress.clear();
  EXPECT_EQ(screen.draws, draws) << "nothing is there to take away";
  screen.now += 1;
  progress.update(6);
  EXPECT_NE(screen.line().find("6/10"), std::string::npos);
}

TEST(Progress, StaysWithinEveryWidth) {
  Screen screen;
  Progress progress({.what = "überträgt 注意", .total = 1000}, screen.sink());
  for (std::size_t width = 0; width < 120; ++width) {
    screen.width = width;
    screen.now += 3;
    progress.update(500, "loss 2.310 ☃");
    EXPECT_LT(display_width(screen.line()), std::max<std::size_t>(width, 2)) << width;
  }
}

TEST(Progress, CountsOnlyThisRunsWorkForTheTimeLeft) {
  Screen screen;
  Progress progress({.what = "train", .total = 1000, .first = 800}, screen.sink());
  screen.now += 10;
  progress.update(900);
  EXPECT_NE(screen.line().find("10.0 s left"), std::string::npos) << screen.line();
}

TEST(Progress, ShowsCountAndTimeWhenTheTotalIsNotKnown) {
  Screen screen;
  Progress progress({.what = "read"}, screen.sink());
  screen.now += 61;
  progress.update(12);
  EXPECT_EQ(screen.line(), "read  12  1 min 01 s");
}

TEST(Progress, SaysAHundredPercentOnlyAtTheEnd) {
  Screen screen;
  Progress progress({.what = "t", .total = 1000}, screen.sink());
  screen.now += 3;
  progress.update(999);
  EXPECT_NE(screen.line().find(" 99%"), std::string::npos) << screen.line();
  screen.now += 3;
  progress.update(1000);
  EXPECT_NE(screen.line().find("100%"), std::string::npos) << screen.line();
  EXPECT_EQ(screen.line().find("left"), std::string::npos) << screen.line();
  screen.now += 3;
  progress.update(2000);  // more than was said
  EXPECT_NE(screen.line().find("100%"), std::string::npos) << screen.line();
}

}  // namespace
}  // namespace heed
