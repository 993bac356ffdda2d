// SPDX-License-Identifier: Apache-2.0
#include "heed/training/training_log.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <nlohmann/json.hpp>

#include "heed/base/testing.h"
#include "heed/base/text.h"

namespace heed::training {
namespace {

using heed::test::TemporaryFolder;
using nlohmann::json;

constexpr UpdateReport report_of(std::int64_t update) {
  return {.update = update,
          .epoch = 2,
          .loss = 2.31,
          .words_per_second = 12345.4,
          .gradient_norm = 1.23,
          .learning_rate = 3e-4,
          .seconds = 60,
          .seconds_left = 65};
}

struct Screen {
  std::string drawn;
  std::vector<std::string> printed;
  double now = 0;

  TrainingLogSetting setting(bool live) {
    return {.print = [this](std::string_view line) { printed.emplace_back(line); },
            .sink = {.live = live,
                     .width = [] { return std::size_t{120}; },
                     .write = [this](std::string_view text) { drawn += text; },
                     .seconds = [this] { return now += 10; }}};
  }
};

std::vector<json> events_in(const std::filesystem::path& path) {
  std::vector<json> events;
  const std::string content = heed::test::get(path);
  for (const std::string_view line : split(content, '\n')) {
    if (!line.empty()) events.push_back(json::parse(line));
  }
  return events;
}

TEST(TrainingLog, TellsAnUpdateInOneLine) {
  EXPECT_EQ(text_of(report_of(500)),
            "update 500  epoch 2  loss 2.3100  12345 words/s  norm 1.230  rate 3.00e-04  "
            "1 min 05 s left");
}

TEST(TrainingLog, PrintsLinesWhereNobodyWatchesTheProgressLine) {
  Screen screen;
  TrainingLog log(screen.setting(false));
  log.show(report_of(1));
  log.update(report_of(2));
  EXPECT_EQ(screen.printed, (std::vector<std::string>{text_of(report_of(2))}));
  EXPECT_EQ(screen.drawn, "");
}

TEST(TrainingLog, DrawsTheProgressLineForWhoWatches) {
  Screen screen;
  TrainingLog log(screen.setting(true));
  log.show(report_of(7));
  log.update(report_of(7));
  EXPECT_TRUE(screen.printed.empty());
  EXPECT_NE(screen.drawn.find("train  7  "), std::string::npos) << screen.drawn;
  EXPECT_NE(screen.drawn.find("loss 2.3100  12345 words/s"), std::string::npos) << screen.drawn;
  EXPECT_NE(screen.drawn.find("1 min 05 s left"), std::string::npos) << screen.drawn;
}

TEST(TrainingLog, ShowsMetricsInTheOrderOfTheirKinds) {
  Screen screen;
  TrainingLog log(screen.setting(true));
  const std::array<MetricKind, 2> kinds = {{{"loss", Better::lower}, {"bleu", Better::higher}}};
  log.validation({.update = 9, .metrics = {{"bleu", 20}, {"loss", 1.5}}, .best = true}, kinds);
  EXPECT_EQ(screen.printed,
            (std::vector<std::string>{
                "update 9  epoch 1  validation:  loss 1.5000  bleu 20.0000  (best so far)"}));
}

TEST(TrainingLog, WritesOneJsonObjectPerLine) {
  const TemporaryFolder folder;
  Screen screen;
  TrainingLogSetting setting = screen.setting(false);
  setting.json = folder / "log.json";
  TrainingLog log(setting);
  log.update(report_of(5));
  const std::array<MetricKind, 1> kinds = {{{"loss", Better::lower}}};
  const double nan = std::numeric_limits<double>::quiet_NaN();
  log.validation({.update = 5, .metrics = {{"loss", nan}}}, kinds);
  log.end(5, "limit");
  const std::vector<json> events = events_in(folder / "log.json");
  ASSERT_EQ(events.size(), 4U);
  EXPECT_EQ(events[0]["event"], "start");
  EXPECT_EQ(events[1]["loss"], 2.31);
  EXPECT_EQ(events[1]["learning_rate"], 3e-4);
  EXPECT_TRUE(events[2]["metrics"]["loss"].is_null());  // JSON has no NaN
  EXPECT_EQ(events[3]["reason"], "limit");
}

TEST(TrainingLog, GoingOnTakesLaterAndHalfWrittenLinesAway) {
  const TemporaryFolder folder;
  const auto path = folder / "log.json";
  Screen screen;
  TrainingLogSetting setting = screen.setting(false);
  setting.json = path;
  {
    TrainingLog log(setting);
    for (const int update : {10, 20, 30}) log.update(report_of(update));
  }
  heed::test::put(path, heed::test::get(path) + "{\"event\":\"upd");
  setting.first = 20;
  { TrainingLog log(setting); }
  std::vector<int> updates;
  for (const json& event : events_in(path)) updates.push_back(event["update"]);
  EXPECT_EQ(updates, (std::vector<int>{0, 10, 20, 20}));
  setting.first = 0;
  { TrainingLog log(setting); }
  EXPECT_EQ(events_in(path).size(), 1U);  // a new run begins a new file
}

TEST(TrainingLog, DoesNotReplaceWhatIsNoLog) {
  const TemporaryFolder folder;
  for (const char* content : {"my notes\n", "{\"a\": 1}\n", "[1]\n"}) {
    heed::test::put(folder / "notes", content);
    Screen screen;
    TrainingLogSetting setting = screen.setting(false);
    setting.json = folder / "notes";
    EXPECT_THROW(TrainingLog log(setting), UsageError) << content;
    EXPECT_EQ(heed::test::get(folder / "notes"), content);
  }
  EXPECT_NO_THROW(check_log_file(folder / "none"));
  EXPECT_NO_THROW(check_log_file(""));
}

TEST(TrainingLog, SaysWhichFileCannotBeWritten) {
  const TemporaryFolder folder;
  Screen screen;
  TrainingLogSetting setting = screen.setting(false);
  setting.json = folder / "absent" / "log.json";
  EXPECT_NE(
      heed::test::message_of<DataError>([&] { TrainingLog log(setting); }).find("log.json: cannot"),
      std::string::npos);
}

}  // namespace
}  // namespace heed::training
