// SPDX-License-Identifier: Apache-2.0
// One column for each memory along the number of patterns, one for each number along beta.
#include "cli/recall_capacity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/insight/draw/line_plot.h"

namespace heed::cli {
namespace {

using models::CapacityPoint;
using models::MemoryRule;
using nlohmann::ordered_json;

std::int64_t whole(double value) {
  if (value < 1 || value > 1'000'000 || value != std::floor(value)) {
    throw UsageError("--at {}: numbers of patterns are whole, from 1 to 1000000", value);
  }
  return static_cast<std::int64_t>(value);
}

// 4, 16, 64, ... patterns, up to those there are.
std::vector<double> usual_counts(std::size_t own) {
  if (own == 0) return {4, 6, 8, 10, 14, 20, 64, 256, 1024};
  std::vector<double> counts;
  for (double count = 1; count < static_cast<double>(own); count *= 10) {
    for (const double step : {1., 2., 5.}) {
      if (count * step > 1 && count * step < static_cast<double>(own))
        counts.push_back(count * step);
    }
  }
  counts.push_back(static_cast<double>(own));
  return counts;
}

}  // namespace

void CapacityCurves::declare(Options& list) {
  list.add("capacity", along_,
           "instead: which part of damaged patterns comes back exactly, against the number of "
           "patterns in each memory, or against beta in a modern one; of random bits, or of "
           "--patterns")
      .one_of({"", "patterns", "beta"})
      .kind("patterns|beta");
  list.add("at", at_, "the numbers of patterns, or the values of beta; none given: usual ones");
  list.add("bits", units_, "units of random patterns").range(2, 4096);
  list.add("recalls", recalls_, "damaged patterns for each number").range(1, 1'000'000);
}

CapacityTable CapacityCurves::measured(const std::vector<models::MemoryPattern>& own,
                                       const models::CapacityOptions& given) const {
  models::CapacityOptions options = given;
  options.units = units_;
  options.recalls = recalls_;
  const auto point = [&](std::int64_t patterns) {
    return models::capacity(patterns, options, own);
  };
  const bool by_beta = along_ == "beta";
  CapacityTable table;
  table.along = along_;
  for (const std::string& text : at_) table.values.push_back(parse_number(text, "--at"));
  const std::string what = own.empty() ? fmt::format("random patterns of {} units", units_)
                                       : fmt::format("patterns of {} units", own.front().size());
  const bool hides = options.damage.hide != models::HiddenSide::none;
  table.title = fmt::format("{}, {:.3g}% of them turned{}", what, 100 * options.damage.flip,
                            hides ? ", a half hidden" : "");
  if (by_beta) {
    if (at_.empty()) table.values = {.01, .02, .05, .1, .2, .5, 1, 2};
    const std::vector<std::int64_t> counts = own.empty()
                                                 ? std::vector<std::int64_t>{10, 100, 1000}
                                                 : std::vector<std::int64_t>{std::ssize(own)};
    options.memory.rule = MemoryRule::modern;
    for (const std::int64_t count : counts) {
      table.names.push_back(fmt::format("{} patterns", count));
      std::vector<CapacityPoint>& column = table.points.emplace_back();
      for (const double beta : table.values) {
        options.memory.beta = beta;
        column.push_back(point(count));
      }
    }
    return table;
  }
  if (at_.empty()) table.values = usual_counts(own.size());
  for (const MemoryRule rule : {MemoryRule::classical, MemoryRule::dense, MemoryRule::modern}) {
    options.memory.rule = rule;
    table.names.push_back(rule == MemoryRule::classical ? "classical"
                          : rule == MemoryRule::dense
                              ? fmt::format("dense, power {}", options.memory.power)
                              : fmt::format("modern, beta {:.3g}", options.memory.beta));
    std::vector<CapacityPoint>& column = table.points.emplace_back();
    for (const double value : table.values) column.push_back(point(whole(value)));
  }
  return table;
}

std::string CapacityTable::text() const {
  std::string text = title + "\n" + fmt::format("{:>10}", along);
  for (const std::string& name : names) text += fmt::format("  {:>16}", name);
  for (std::size_t row = 0; row < values.size(); ++row) {
    text += fmt::format("\n{:>10}", values[row]);
    for (const auto& column : points) text += fmt::format("  {:>16.3f}", column[row].exact);
  }
  return text + "\n";
}

std::string CapacityTable::json() const {
  ordered_json columns = ordered_json::array();
  for (std::size_t i = 0; i < names.size(); ++i) {
    ordered_json list = ordered_json::array();
    for (std::size_t row = 0; row < values.size(); ++row) {
      const CapacityPoint& point = points[i][row];
      list.push_back({{along, values[row]},
                      {"recalls", point.recalls},
                      {"exact", point.exact},
                      {"wrong_units", point.wrong_units}});
    }
    columns.push_back({{"name", names[i]}, {"points", std::move(list)}});
  }
  return ordered_json{{"title", title}, {"curves", std::move(columns)}}.dump(2) + "\n";
}

std::string CapacityTable::svg() const {
  std::vector<insight::PlotLine> lines;
  for (std::size_t i = 0; i < names.size(); ++i) {
    insight::PlotLine& line = lines.emplace_back();
    line.name = names[i];
    for (std::size_t row = 0; row < values.size(); ++row) {
      const CapacityPoint& point = points[i][row];
      line.points.push_back({values[row], point.exact,
                             fmt::format("{:.3f} of {} exact, {:.1f}% of the units wrong",
                                         point.exact, point.recalls, 100 * point.wrong_units)});
    }
  }
  const bool by_beta = along == "beta";
  return insight::line_svg(
      lines, {.title = title,
              .x = {.label = by_beta ? "beta" : "patterns stored", .logarithmic = true},
              .y = {.label = "recalled exactly", .low = 0, .high = 1}});
}

}  // namespace heed::cli
