// SPDX-License-Identifier: Apache-2.0
// A pointer network as one model among others: what it is asked whatever its kind.
#include <algorithm>
#include <cmath>

#include "heed/base/error.h"
#include "heed/corpora/points/point_files.h"
#include "heed/pipeline/measure.h"
#include "heed/pipeline/pointer/point_quality.h"
#include "heed/pipeline/pointer/point_solver.h"

namespace heed::pipeline {

std::int64_t PointSolver::parameter_count() const {
  return nn::parameter_count(nn::parameters(*model_));
}

// Points are cut apart by white space, or each is two numbers.
std::int64_t PointSolver::length(std::string_view text) const {
  std::int64_t words = 0;
  bool inside = false, pairs = false;
  for (const char letter : text) {
    const bool space = letter == ' ' || letter == '\t' || letter == ';';
    if (!space && !inside) ++words;
    inside = !space;
    pairs = pairs || letter == ',';
  }
  return (pairs || features() == 1 ? words : (words + 1) / 2) + 1;
}

corpora::Points PointSolver::read(const std::string& text) const {
  try {
    return corpora::parse_point_line(text, features(), "points").points;
  } catch (const DataError& error) {
    throw UsageError("{}", error.what());
  }
}

std::vector<std::vector<Answer>> PointSolver::run(std::span<const Input> inputs,
                                                  const Settings& settings) const {
  PointSearch search;
  Options list;
  search.declare(list);
  set(list, settings);
  std::vector<corpora::Points> sets;
  for (const Input& input : inputs) sets.push_back(read(input.text));
  std::vector<std::vector<Answer>> answers;
  for (const FoundRoute& found : point(sets, search)) {
    answers.push_back({{route_text(found.route), found.log_probability}});
  }
  return answers;
}

std::vector<insight::TracedExample> PointSolver::trace(std::span<const Input> inputs,
                                                       const Settings& settings) const {
  PointSearch search;
  Options list;
  search.declare(list);
  set(list, settings);
  std::vector<insight::TracedExample> examples;
  for (const Input& input : inputs) examples.push_back(trace(read(input.text), search).example);
  return examples;
}

void PointSolver::measure(std::span<const std::string> files, ComparedModel& contestant) const {
  require_files(files, 1, "pointer networks take one: sets of points with answers");
  const std::vector<corpora::PointSet> sets = corpora::read_answered_sets(files[0], features());
  std::vector<corpora::Points> points;
  for (const corpora::PointSet& set : sets) points.push_back(set.points);
  const Stopwatch watch;
  const std::vector<FoundRoute> found = point(points);
  watch.stop(contestant);
  std::vector<double> ones(sets.size(), 1), right, mine, best;
  for (std::size_t i = 0; i < sets.size(); ++i) {
    right.push_back(corpora::is_right(form_.task, found[i].route, sets[i].answer) ? 1 : 0);
    const auto size = [&](const corpora::Route& route) {
      return form_.task == corpora::PointTask::tour
                 ? corpora::tour_length(points[i], route)
                 : std::abs(corpora::signed_area(points[i], route));
    };
    mine.push_back(size(found[i].route));
    best.push_back(size(sets[i].answer));
    contestant.units += static_cast<double>(sets[i].points.size());
  }
  const auto as_it_is = [](double value) { return value; };
  contestant.sentences = sets.size();
  contestant.unit = "points/s";
  if (form_.task == corpora::PointTask::tour) {
    contestant.measures = {ratio("length", mine, ones, as_it_is),
                           ratio("length / given", mine, best, as_it_is)};
    for (Measure& one : contestant.measures) one.lower_is_better = true;
  } else {
    contestant.measures = {ratio("exact %", right, ones, percent)};
    if (form_.task == corpora::PointTask::hull) {
      contestant.measures.push_back(ratio("area %", mine, best, percent));
    }
  }
}

}  // namespace heed::pipeline
