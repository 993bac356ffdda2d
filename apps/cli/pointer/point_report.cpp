// SPDX-License-Identifier: Apache-2.0
// Lines for people, JSON for programs.
#include "cli/pointer/point_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "heed/base/text.h"
#include "heed/pipeline/pointer/point_solver.h"

namespace heed::cli {
namespace {

using corpora::PointTask;
using nlohmann::ordered_json;
using pipeline::PointQuality;

PointQuality quality_of(PointTask task, const PointedSet& one) {
  return pipeline::point_quality(task, std::span(&one.set, 1), std::span(&one.found.route, 1));
}

// As people count them.
ordered_json route_json(const corpora::Route& route) {
  ordered_json numbers = ordered_json::array();
  for (const int point : route) numbers.push_back(point + 1);
  return numbers;
}

std::string right_answer(PointTask task) {
  switch (task) {
    case PointTask::hull:
      return "the hull";
    case PointTask::tour:
      return "the shortest tour";
    case PointTask::sort:
      return "the right order";
    case PointTask::given:
      break;
  }
  return "the given answer";
}

struct QualityColumn {
  const char* name;  // in JSON
  const char* title;
  std::optional<double> PointQuality::*value;
  bool share;
};

constexpr QualityColumn kColumns[] = {{"exact", "exact", &PointQuality::exact, true},
                                      {"area", "area", &PointQuality::area, true},
                                      {"not_simple", "not simple", &PointQuality::not_simple, true},
                                      {"length", "length", &PointQuality::length, false},
                                      {"ratio", "ratio", &PointQuality::ratio, false},
                                      {"shortest", "shortest", &PointQuality::optimal, true},
                                      {"valid", "valid", &PointQuality::valid, true}};

}  // namespace

std::string pointed_line(PointTask task, const PointedSet& one) {
  std::string line = fmt::format("probability {:.3g}", std::exp(one.found.log_probability));
  const PointQuality quality = quality_of(task, one);
  if (quality.length) line += fmt::format(", length {:.4f}", *quality.length);
  if (one.set.answer.empty()) return line;
  if (quality.optimal.value_or(quality.exact.value_or(0)) == 1) {
    return line + ", " + right_answer(task);
  }
  if (quality.not_simple == 1.) line += ", crosses itself";
  if (quality.area) line += fmt::format(", {:.1f}% of the hull's area", 100 * *quality.area);
  if (quality.ratio) line += fmt::format(", {:.3f} of the shortest", *quality.ratio);
  return line + fmt::format("; {} is {}", right_answer(task), pipeline::route_text(one.set.answer));
}

std::string pointed_text(PointTask task, std::span<const PointedSet> all) {
  std::string text;
  for (const PointedSet& one : all) {
    text +=
        fmt::format("{}\n  {}\n", pipeline::route_text(one.found.route), pointed_line(task, one));
  }
  return text;
}

std::string pointed_json(PointTask task, std::span<const PointedSet> all) {
  ordered_json list = ordered_json::array();
  for (const PointedSet& one : all) {
    ordered_json object = {{"route", route_json(one.found.route)},
                           {"log_probability", one.found.log_probability}};
    if (!one.set.answer.empty()) {
      object["answer"] = route_json(one.set.answer);
      object["right"] = corpora::is_right(task, one.found.route, one.set.answer);
    }
    const PointQuality quality = quality_of(task, one);
    for (const QualityColumn& column : kColumns) {
      const std::optional<double>& value = quality.*column.value;
      if (value && !column.share) object[column.name] = *value;
    }
    if (quality.area) object["area"] = *quality.area;
    list.push_back(std::move(object));
  }
  return list.dump(2) + "\n";
}

std::string quality_table(std::span<const NamedQuality> rows) {
  std::size_t width = 0;
  for (const NamedQuality& row : rows) width = std::max(width, display_width(row.name));
  std::string head = pad_right(fmt::format("{} sets", rows.front().quality.sets), width);
  std::string text;
  for (const NamedQuality& row : rows) {
    std::string line = pad_right(row.name, width);
    for (const QualityColumn& column : kColumns) {
      const bool any = std::ranges::any_of(rows, [&](const NamedQuality& other) {
        return (other.quality.*column.value).has_value();
      });
      if (!any) continue;
      if (text.empty()) head += fmt::format("  {:>10}", column.title);
      const std::optional<double>& value = row.quality.*column.value;
      line += !value         ? fmt::format("  {:>10}", "")
              : column.share ? fmt::format("  {:>9.2f}%", 100 * *value)
                             : fmt::format("  {:>10.4f}", *value);
    }
    text += line + "\n";
  }
  return head + "\n" + text;
}

std::string quality_json(std::span<const NamedQuality> rows) {
  ordered_json list = ordered_json::array();
  for (const NamedQuality& row : rows) {
    ordered_json object = {{"name", row.name}, {"sets", row.quality.sets}};
    for (const QualityColumn& column : kColumns) {
      const std::optional<double>& value = row.quality.*column.value;
      if (value) object[column.name] = *value;
    }
    list.push_back(std::move(object));
  }
  return ordered_json{{"ways", std::move(list)}}.dump(2) + "\n";
}

}  // namespace heed::cli
