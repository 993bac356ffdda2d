// SPDX-License-Identifier: Apache-2.0
// Lines, rows and JSON.
#include "heed/corpora/points/point_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/text/lines.h"

namespace heed::corpora {
namespace {

using nlohmann::json;

constexpr std::string_view kOutput = "output";
constexpr std::string_view kSpaces = " \t\r;";
constexpr int kDeepest = 6;  // of JSON
constexpr const char* kForms =
    "a line is x y x y ..., with \"output 1 2 3\" where the answer is known, or one point x,y";

std::vector<std::string_view> words_of(std::string_view line, std::string_view separators) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; (at = line.find_first_not_of(separators, at)) != line.npos;) {
    const std::size_t end = std::min(line.find_first_of(separators, at), line.size());
    words.push_back(line.substr(at, end - at));
    at = end;
  }
  return words;
}

std::optional<double> number_in(std::string_view word) {
  double number = 0;
  const char* end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, number);
  if (error != std::errc() || stop != end) return {};
  return number;
}

double coordinate(std::string_view word, const std::string& where) {
  const std::optional<double> number = number_in(word);
  if (!number) {
    throw DataError("{}: \"{}\" is no number; {}", where, shorten(word, 20), kForms);
  }
  if (!std::isfinite(*number)) {
    throw DataError("{}: a coordinate is {}; every one must be a finite number", where, word);
  }
  return *number;
}

Points points_of(const std::vector<double>& numbers, int features, const std::string& where) {
  if (numbers.size() % static_cast<std::size_t>(features) != 0) {
    throw DataError("{}: {} numbers make no whole points; each has an x and a y", where,
                    numbers.size());
  }
  Points points;
  for (std::size_t i = 0; i < numbers.size(); i += static_cast<std::size_t>(features)) {
    points.push_back({numbers[i], features == 2 ? numbers[i + 1] : 0});
  }
  return points;
}

// Indices from 1 on, the first perhaps again at the end.
Route answer_in(std::span<const std::string_view> words, std::size_t points,
                const std::string& where) {
  Route answer;
  for (const std::string_view word : words) {
    const std::optional<double> number = number_in(word);
    if (!number || *number != std::floor(*number) || *number < 1 ||
        *number > static_cast<double>(points)) {
      throw DataError("{}: the answer says \"{}\"; its points are numbered from 1 to {}", where,
                      shorten(word, 20), points);
    }
    answer.push_back(static_cast<int>(*number) - 1);
  }
  if (answer.size() > 1 && answer.front() == answer.back()) answer.pop_back();
  Route sorted = answer;
  std::ranges::sort(sorted);
  const auto twice = std::ranges::adjacent_find(sorted);
  if (twice != sorted.end()) {
    throw DataError("{}: the answer says {} twice; only its first point may come again, at the end",
                    where, *twice + 1);
  }
  return answer;
}

std::string place(const std::string& name, std::size_t line) {
  return fmt::format("{}:{}", name, line);
}

double coordinate_of(const json& value, const std::string& where) {
  if (!value.is_number()) {
    throw DataError("{}: {} is no number; a point is [x, y]", where, shorten(value.dump(), 20));
  }
  const double number = value.get<double>();
  if (!std::isfinite(number)) throw DataError("{}: a coordinate is not finite", where);
  return number;
}

// [x, y], {"x": x, "y": y}, or a number alone where a point has one feature.
Point point_of(const json& value, int features, const std::string& where) {
  if (features == 1 && value.is_number()) return {coordinate_of(value, where), 0};
  if (value.is_array() && value.size() == static_cast<std::size_t>(features)) {
    return {coordinate_of(value[0], where), features == 2 ? coordinate_of(value[1], where) : 0};
  }
  if (value.is_object() && value.contains("x") && (features == 1 || value.contains("y"))) {
    return {coordinate_of(value["x"], where), features == 2 ? coordinate_of(value["y"], where) : 0};
  }
  throw DataError("{}: {} is no point; {} is", where, shorten(value.dump(), 20),
                  features == 2 ? "[x, y]" : "a number");
}

std::vector<PointSet> sets_of_json(std::string_view text, int features, const std::string& name) {
  // What is nested deeper is no list of sets, and would be written recursively into a message.
  const auto shallow = [&](int depth, json::parse_event_t, const json&) {
    if (depth > kDeepest) throw DataError("{}: lists are nested deeper than sets of points", name);
    return true;
  };
  json document = json::parse(text, shallow, false);
  if (document.is_discarded()) throw DataError("{}: is not JSON, though it begins like it", name);
  const json list = document.is_object() && document.contains("points") ? document["points"]
                                                                        : std::move(document);
  if (!list.is_array() || list.empty()) {
    throw DataError("{}: holds no list of points; [[x, y], ...] or {{\"points\": ...}} is one",
                    name);
  }
  // A list of lists of points is several sets.
  const json& first = list.front();
  const bool several =
      first.is_array() && !first.empty() &&
      (features == 1 ? first.size() > 1 || !first.front().is_number() : !first.front().is_number());
  std::vector<PointSet> sets;
  const auto add = [&](const json& points, const std::string& where) {
    if (!points.is_array()) throw DataError("{}: is no list of points", where);
    PointSet& set = sets.emplace_back();
    for (std::size_t i = 0; i < points.size(); ++i) {
      set.points.push_back(
          point_of(points[i], features, fmt::format("{}, point {}", where, i + 1)));
    }
  };
  if (!several) {
    add(list, name);
  } else {
    for (std::size_t i = 0; i < list.size(); ++i)
      add(list[i], fmt::format("{}, set {}", name, i + 1));
  }
  return sets;
}

bool has_no_number(const std::vector<std::string_view>& words) {
  return std::ranges::none_of(words,
                              [](std::string_view word) { return number_in(word).has_value(); });
}

// Lines are sets where one of them has several points, else points.
bool lines_are_sets(const std::vector<std::string_view>& lines, int features) {
  return std::ranges::any_of(lines, [features](std::string_view line) {
    return line.find(kOutput) != line.npos ||
           words_of(line, ",; \t\r").size() > static_cast<std::size_t>(features);
  });
}

}  // namespace

PointSet parse_point_line(std::string_view line, int features, const std::string& where) {
  std::vector<std::string_view> words = words_of(line, kSpaces);
  const auto output = std::ranges::find(words, kOutput);
  std::vector<double> numbers;
  for (auto word = words.begin(); word != output; ++word) {
    const std::vector<std::string_view> parts = words_of(*word, ",");
    if (word->find(',') != word->npos && parts.size() != static_cast<std::size_t>(features) &&
        features != 1) {
      throw DataError("{}: \"{}\" is no point; x,y is one", where, shorten(*word, 20));
    }
    for (const std::string_view part : parts) numbers.push_back(coordinate(part, where));
  }
  PointSet set{.points = points_of(numbers, features, where)};
  if (output != words.end()) {
    set.answer = answer_in(std::span(output + 1, words.end()), set.points.size(), where);
    if (set.answer.empty()) {
      throw DataError("{}: no point follows \"{}\"; {}", where, kOutput, kForms);
    }
  }
  return set;
}

std::string written_points(std::span<const Point> points, int features) {
  std::vector<std::string> words;
  for (const Point& point : points) {
    words.push_back(features == 1 ? fmt::format("{}", point.x)
                                  : fmt::format("{},{}", point.x, point.y));
  }
  return join(words, " ");
}

std::vector<PointSet> parse_point_sets(std::string_view text, int features,
                                       const std::string& name) {
  const std::string_view trimmed = trim(text);
  if (trimmed.starts_with('[') || trimmed.starts_with('{')) {
    return sets_of_json(trimmed, features, name);
  }
  const std::vector<std::string_view> lines = split(text, '\n');
  std::vector<PointSet> sets;
  if (lines_are_sets(lines, features)) {
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (trim(lines[i]).empty()) continue;
      sets.push_back(parse_point_line(lines[i], features, place(name, i + 1)));
    }
  } else {
    bool apart = true;  // whether the next point begins a set
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const std::vector<std::string_view> words = words_of(lines[i], ",; \t\r");
      if (words.empty()) {
        apart = true;
        continue;
      }
      if (i == 0 && has_no_number(words)) continue;  // the names of columns
      std::vector<double> numbers;
      for (const std::string_view word : words) {
        numbers.push_back(coordinate(word, place(name, i + 1)));
      }
      const Points point = points_of(numbers, features, place(name, i + 1));
      if (std::exchange(apart, false)) sets.emplace_back();
      sets.back().points.push_back(point.front());
    }
  }
  if (sets.empty()) throw DataError("{}: holds no points; {}", name, kForms);
  return sets;
}

std::vector<PointSet> read_point_sets(const std::filesystem::path& path, int features) {
  std::string text;
  for (const std::string& line : text::read_lines(path)) text += line + "\n";
  return parse_point_sets(text, features, path.string());
}

std::vector<PointSet> read_answered_sets(const std::filesystem::path& path, int features) {
  std::vector<PointSet> sets;
  text::LineReader reader(path);
  for (std::string line; reader.next(line);) {
    if (trim(line).empty()) continue;
    const std::string where = place(reader.name(), reader.line());
    PointSet set = parse_point_line(line, features, where);
    if (set.answer.empty()) {
      throw DataError(
          "{}: there is no answer; write \"output\" and the numbers of its points, "
          "from 1 on, after the coordinates",
          where);
    }
    if (const std::string problem = problem_of(PointTask::given, set.points); !problem.empty()) {
      throw DataError("{}: {}", where, problem);
    }
    sets.push_back(std::move(set));
  }
  if (sets.empty()) throw DataError("{}: holds no sets of points; {}", path.string(), kForms);
  return sets;
}

PointTask task_of_answers(std::span<const PointSet> sets) {
  const auto names_all = [](const PointSet& set) { return set.answer.size() == set.points.size(); };
  const auto is_hull = [](const PointSet& set) {
    return is_same_polygon(set.answer, convex_hull(set.points));
  };
  if (std::ranges::all_of(sets, is_hull)) return PointTask::hull;
  return std::ranges::all_of(sets, names_all) ? PointTask::tour : PointTask::given;
}

}  // namespace heed::corpora
