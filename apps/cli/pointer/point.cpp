// SPDX-License-Identifier: Apache-2.0
// `heed point`: what a pointer network points at in points of a file, with a drawing; or how well
// it does on many sets, beside simple ways.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>

#include "cli/pointer/point_report.h"
#include "cli/trace_cli.h"
#include "cli/verb.h"
#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/base/threads.h"
#include "heed/base/warning.h"
#include "heed/corpora/points/point_files.h"
#include "heed/corpora/points/tours.h"
#include "heed/insight/draw/points_picture.h"
#include "heed/insight/terminal/points_view.h"
#include "heed/pipeline/pointer/point_solver.h"

namespace heed::cli {
namespace {

using corpora::PointSet;
using corpora::PointTask;

// Sets that no training with a usual seed has seen.
constexpr std::uint64_t kMeasureSeed = 1'000'003;

struct PointVerb {
  std::string model;
  std::string input;
  std::string measure;
  std::int64_t points = 0;
  std::uint64_t seed = kMeasureSeed;
  pipeline::PointSearch search;
  std::string draw;
  std::int64_t set = 1;
  bool dark = false;
  bool show = false;
  bool json = false;
  int threads = 0;
  TraceOutput trace;
  Options list;

  PointVerb() {
    list.add("input", input,
             "points: CSV rows x,y, sets apart by an empty line; lines x y x y ...; JSON [[x, y], "
             "...]; \"-\": standard input")
        .letter('i')
        .kind("FILE");
    list.add("measure", measure,
             "instead of --input: a file of sets with answers, or how many fresh sets; says how "
             "good the model is, and simple ways beside it")
        .kind("FILE|N");
    list.add("points", points, "points of each fresh set; 0: the most it has learnt from")
        .range(0, 1000);
    list.add("seed", seed, "of fresh sets");
    search.declare(list);
    list.add("draw", draw, "draw a set to this file, .svg or .png").kind("FILE");
    list.add("set", set, "which set of the input is drawn and shown, from 1").at_least(1);
    list.add("dark", dark, "draw on a dark ground");
    list.add("show", show, "draw it in the terminal, too");
    list.add("json", json, "print JSON");
    list.add("threads", threads, "threads to compute with; 0: one per core").range(0, 1024);
    trace.declare(list);
  }
};

void check(const PointVerb& verb) {
  if (verb.model.empty()) {
    throw UsageError("say which model folder to use (heed train pointer makes one)");
  }
  if (verb.input.empty() == verb.measure.empty()) {
    throw UsageError("give --input with points, or --measure with a file or a number of sets{}",
                     verb.input.empty() ? "" : ", not both");
  }
  const std::string ending = lower(std::filesystem::path(verb.draw).extension().string());
  if (!verb.draw.empty() && ending != ".svg" && ending != ".png") {
    throw UsageError("--draw {}: give a name that ends in .svg or .png", verb.draw);
  }
  if (!verb.measure.empty() && (!verb.draw.empty() || verb.show || verb.trace.wanted())) {
    throw UsageError("--draw, --show and --trace take --input; --measure prints numbers only");
  }
}

// Fresh ones, or those of a file.
std::vector<PointSet> measured_sets(const PointVerb& verb, const pipeline::PointSolver& solver) {
  const bool number = verb.measure.find_first_not_of("0123456789") == std::string::npos;
  if (!number || std::filesystem::exists(verb.measure)) {
    return corpora::read_answered_sets(verb.measure, solver.features());
  }
  const pipeline::PointForm& form = solver.form();
  if (form.task == PointTask::given) {
    throw UsageError("--measure {}: only a file has the answers that this model learnt; give one",
                     verb.measure);
  }
  const std::int64_t count = parse_integer(verb.measure, "--measure");
  const std::int64_t points = verb.points == 0 ? form.most : verb.points;
  if (count < 1 || count > 10'000'000 || points < corpora::fewest_points(form.task)) {
    throw UsageError("--measure {} --points {}: give 1 to 10000000 sets of {} points or more",
                     verb.measure, points, corpora::fewest_points(form.task));
  }
  return corpora::draw_sets(
      {.task = form.task,
       .count = count,
       .points = points,
       .seed = verb.seed,
       .answers = form.task != PointTask::tour ||
                  points <= static_cast<std::int64_t>(corpora::kMostOptimal)});
}

void run_measure(const PointVerb& verb, const pipeline::PointSolver& solver) {
  const std::vector<PointSet> sets = measured_sets(verb, solver);
  std::vector<corpora::Points> points;
  for (const PointSet& set : sets) points.push_back(set.points);
  std::vector<corpora::Route> routes;
  for (auto& found : solver.point(points, verb.search)) routes.push_back(std::move(found.route));
  const PointTask task = solver.form().task;
  std::vector<NamedQuality> rows = {
      {model_name(verb.model), pipeline::point_quality(task, sets, routes)}};
  for (const pipeline::PointBaseline& one : pipeline::point_baselines(task, sets)) {
    rows.push_back({one.name, pipeline::point_quality(task, sets, one.routes)});
  }
  fmt::print("{}", verb.json ? quality_json(rows) : quality_table(rows));
}

// The right answer, where it can be found.
corpora::Route known_answer(PointTask task, const PointSet& set) {
  if (!set.answer.empty() || task == PointTask::given) return set.answer;
  if (task == PointTask::tour && set.points.size() > corpora::kMostOptimal) return {};
  return corpora::answer_of(task, set.points);
}

std::vector<PointSet> input_sets(const PointVerb& verb, const pipeline::PointSolver& solver) {
  std::vector<PointSet> sets = corpora::read_point_sets(verb.input, solver.features());
  const pipeline::PointForm& form = solver.form();
  for (std::size_t i = 0; i < sets.size(); ++i) {
    const std::string problem = corpora::problem_of(form.task, sets[i].points);
    if (!problem.empty()) {
      throw DataError("{}{}: {}", verb.input, sets.size() > 1 ? fmt::format(", set {}", i + 1) : "",
                      problem);
    }
    sets[i].answer = known_answer(form.task, sets[i]);
  }
  if (verb.set > std::ssize(sets)) {
    throw UsageError("--set {}: {} has {}", verb.set, verb.input, sets.size());
  }
  const auto is_strange = [&](const PointSet& set) {
    return std::ssize(set.points) < form.fewest || std::ssize(set.points) > form.most;
  };
  if (const auto strange = std::ranges::find_if(sets, is_strange); strange != sets.end()) {
    warn(fmt::format("{}: a set of {} points; the model has learnt from sets of {}", verb.input,
                     strange->points.size(),
                     form.fewest == form.most ? fmt::format("{}", form.most)
                                              : fmt::format("{} to {}", form.fewest, form.most)));
  }
  return sets;
}

void run_input(PointVerb& verb, const pipeline::PointSolver& solver) {
  const std::vector<PointSet> sets = input_sets(verb, solver);
  const PointTask task = solver.form().task;
  std::vector<PointedSet> answers;
  std::vector<corpora::Points> points;
  for (const PointSet& set : sets) points.push_back(set.points);
  const std::vector<pipeline::FoundRoute> found = solver.point(points, verb.search);
  for (std::size_t i = 0; i < sets.size(); ++i) answers.push_back({sets[i], found[i]});
  fmt::print("{}", verb.json ? pointed_json(task, answers) : pointed_text(task, answers));
  if (verb.trace.wanted()) {
    for (const PointSet& set : sets) verb.trace.add(solver.trace(set.points, verb.search).example);
  }
  const auto chosen = static_cast<std::size_t>(verb.set - 1);
  if (verb.show) {
    fmt::print("\n{}", insight::points_view(sets[chosen].points, found[chosen].route,
                                            {.closed = task != PointTask::sort}));
  }
  if (!verb.draw.empty()) {
    const pipeline::TracedRoute traced = solver.trace(sets[chosen].points, verb.search);
    const insight::PointScene scene{.points = sets[chosen].points,
                                    .found = traced.found.route,
                                    .known = sets[chosen].answer,
                                    .closed = task == PointTask::hull || task == PointTask::tour,
                                    .numbers = task == PointTask::sort,
                                    .weights = traced.weights,
                                    .title = fmt::format("{}: {}", model_name(verb.model),
                                                         pipeline::route_text(traced.found.route)),
                                    .subtitle = pointed_line(task, answers[chosen])};
    const insight::PictureStyle style{.theme =
                                          verb.dark ? insight::Theme::dark : insight::Theme::light};
    verb.trace.files().write(verb.draw, lower(verb.draw).ends_with(".png")
                                            ? insight::points_png(scene, style)
                                            : insight::points_svg(scene, style));
  }
  verb.trace.finish();
}

void run(PointVerb& verb) {
  check(verb);
  if (verb.threads > 0) set_threads(verb.threads);
  verb.trace.begin(verb.model, "pointer", {verb.input});
  verb.trace.files().check(verb.draw);
  const pipeline::PointSolver solver(verb.model);
  verb.measure.empty() ? run_input(verb, solver) : run_measure(verb, solver);
}

Action set_up(CommandLine& line) {
  auto verb = std::make_shared<PointVerb>();
  line.add("MODEL", verb->model, "model folder that heed train pointer wrote").required();
  return line.with_options(verb->list, [verb] { run(*verb); });
}

const ListedVerb kListed(
    {.name = "point",
     .summary = "Point at points: the corners of a hull, the stops of a tour, numbers in order",
     .description = "Prints, for each set of the input, the numbers of the points in the order of "
                    "the output, and how that compares with the right answer where it can be "
                    "found. Points outside the unit square are scaled into it.",
     .example = "heed point hulls --input points.csv --draw hull.svg\n"
                "heed point tours --measure 1000 --beam 4",
     .setup = set_up});

}  // namespace
}  // namespace heed::cli
