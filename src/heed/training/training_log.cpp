// SPDX-License-Identifier: Apache-2.0
// Reports of training as lines and as JSON.
#include "heed/training/training_log.h"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/text.h"
#include "heed/base/verbosity.h"

namespace heed::training {
namespace {

using nlohmann::ordered_json;

// The lines of an earlier run up to `update`, its last, half-written one left out.
std::string lines_until(const std::filesystem::path& path, std::uint64_t update) {
  std::string kept;
  std::error_code ignored;
  if (update == 0 || !std::filesystem::exists(path, ignored)) return kept;
  const std::string content = read_file(path);
  for (const std::string_view line : split(content, '\n')) {
    const auto event = ordered_json::parse(line, nullptr, false);
    if (!event.is_object() || !event.contains("update")) continue;
    const auto& at = event.at("update");
    if (at.is_number_unsigned() && at.get<std::uint64_t>() <= update) {
      kept += fmt::format("{}\n", line);
    }
  }
  return kept;
}

// The words of an update that are not its number.
std::string note_of(const UpdateReport& report) {
  return fmt::format("epoch {}  loss {:.4f}  {:.0f} words/s  norm {:.3f}  rate {:.2e}",
                     report.epoch, report.loss, report.words_per_second, report.gradient_norm,
                     report.learning_rate);
}

std::string left(const UpdateReport& report) {
  if (!report.seconds_left) return {};
  return fmt::format("  {} left", human_duration(*report.seconds_left));
}

}  // namespace

std::string text_of(const UpdateReport& report) {
  return fmt::format("update {}  {}{}", report.update, note_of(report), left(report));
}

void check_log_file(const std::filesystem::path& path) {
  std::error_code ignored;
  if (path.empty() || !std::filesystem::is_regular_file(path, ignored)) return;
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) return;  // empty
  const auto event = ordered_json::parse(line, nullptr, false);
  if (event.is_object() && event.contains("event") && event.contains("update")) return;
  throw UsageError(
      "--log-json {}: is there already and is not the log of a training; name another file",
      path.string());
}

TrainingLog::TrainingLog(const TrainingLogSetting& setting)
    : setting_(setting),
      progress_({.what = "train", .total = setting.total, .first = setting.first}, setting.sink) {
  if (setting_.json.empty()) return;
  check_log_file(setting_.json);
  write_atomically(setting_.json, lines_until(setting_.json, setting_.first));
  json_.open(setting_.json, std::ios::app);
  write_json(ordered_json{{"event", "start"}, {"update", setting_.first}}.dump());
}

void TrainingLog::show(const UpdateReport& report) {
  // With a total the progress line shows the time left itself.
  progress_.update(static_cast<std::uint64_t>(report.update),
                   note_of(report) + (setting_.total == 0 ? left(report) : ""));
}

void TrainingLog::update(const UpdateReport& report) {
  if (!setting_.sink.live) print(text_of(report));
  ordered_json line{{"event", "update"},
                    {"update", report.update},
                    {"epoch", report.epoch},
                    {"loss", report.loss},
                    {"words_per_second", report.words_per_second},
                    {"gradient_norm", report.gradient_norm},
                    {"learning_rate", report.learning_rate},
                    {"seconds", report.seconds}};
  if (report.seconds_left) line["seconds_left"] = *report.seconds_left;
  write_json(line.dump());
}

void TrainingLog::validation(const ValidationReport& report, std::span<const MetricKind> kinds) {
  std::string text = fmt::format("update {}  epoch {}  validation:", report.update, report.epoch);
  ordered_json metrics = ordered_json::object();
  for (const MetricKind& kind : kinds) {
    const double value = report.metrics.at(kind.name);
    text += fmt::format("  {} {:.4f}", kind.name, value);
    metrics[kind.name] = value;
  }
  if (report.best) text += "  (best so far)";
  print(text);
  write_json(ordered_json{{"event", "validation"},
                          {"update", report.update},
                          {"epoch", report.epoch},
                          {"metrics", metrics},
                          {"best", report.best},
                          {"seconds", report.seconds}}
                 .dump());
}

void TrainingLog::print(std::string_view line) {
  progress_.clear();
  if (setting_.print) {
    setting_.print(line);
  } else {
    note(line);
  }
}

void TrainingLog::end(std::int64_t update, std::string_view reason) {
  progress_.clear();
  write_json(ordered_json{{"event", "end"}, {"update", update}, {"reason", reason}}.dump());
}

void TrainingLog::write_json(const std::string& line) {
  if (setting_.json.empty()) return;
  json_ << line << '\n' << std::flush;
  if (!json_) throw DataError("{}: cannot be written", setting_.json.string());
}

}  // namespace heed::training
