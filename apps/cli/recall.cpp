// SPDX-License-Identifier: Apache-2.0
// `heed recall`: an associative memory stores patterns and completes a damaged one, step by step;
// or how many it holds.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>

#include "cli/output_files.h"
#include "cli/recall_capacity.h"
#include "cli/verb.h"
#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/base/threads.h"
#include "heed/corpora/patterns/pattern_files.h"
#include "heed/insight/draw/recall_picture.h"
#include "heed/insight/terminal/pattern_view.h"
#include "heed/insight/terminal/shade.h"
#include "heed/models/associative_capacity.h"

namespace heed::cli {
namespace {

using corpora::PicturePattern;
using models::MemoryPattern;
using nlohmann::ordered_json;

constexpr std::size_t kMostPrinted = 5;  // weights of a step

struct RecallVerb {
  std::vector<std::string> patterns;
  std::int64_t store = 0;
  bool greys = false;
  models::AssociativeOptions memory;
  models::RecallOptions steps;
  std::string query;
  std::string item = "1";
  models::Damage damage{.flip = .1};
  std::uint64_t seed = 1;
  CapacityCurves capacity;
  std::string draw;
  bool dark = false;
  bool json = false;
  int threads = 0;
  OutputFiles files;
  Options list;

  RecallVerb() {
    list.section("What is stored");
    list.add("patterns", patterns,
             "files of patterns: rows of #. or 01 or numbers, apart by an empty line; PNG, PGM, "
             "PBM and "
             "such; IDX pictures such as MNIST; none given: ten pictures that are built in")
        .kind("FILE");
    list.add("store", store, "how many of them, from the first on; 0: all").at_least(0);
    list.add("greys", greys,
             "keep greys and other numbers as they are, which modern memories can; else the signs "
             "are stored");
    list.section("The memory");
    list.add("rule", memory.rule, models::memory_rule_names(),
             "classical: Hopfield 1982; dense: Krotov & Hopfield 2016; modern: softmax attention");
    list.add("beta", memory.beta, "of modern: how sharply patterns are told apart").above(0);
    list.add("power", memory.power, "of dense: the power of overlaps; 2 is classical")
        .range(2, 100);
    list.add("most-steps", steps.most_steps, "steps at most").range(1, 1'000'000);
    list.section("What is asked");
    list.add("query", query, "a file with the damaged pattern, ? for what is unknown").kind("FILE");
    list.add("item", item, "else: the name or number of a stored pattern, which is damaged");
    list.add("flip", damage.flip, "which part of its units is turned").range(0, 1);
    list.add("hide", damage.hide, models::hidden_side_names(), "which half of it is hidden");
    list.add("seed", seed, "of the units that are turned, and of random patterns");
    list.section("Capacity");
    capacity.declare(list);
    list.section("Output");
    list.add("draw", draw, "draw it to this file, .svg or .png; curves .svg only").kind("FILE");
    list.add("dark", dark, "draw on a dark ground");
    list.add("json", json, "print JSON");
    list.add("threads", threads, "threads to compute with; 0: one per core").range(0, 1024);
    files.declare(list);
  }
};

void check(const RecallVerb& verb) {
  const std::string ending = lower(std::filesystem::path(verb.draw).extension().string());
  if (!verb.draw.empty() && ending != ".svg" && (ending != ".png" || verb.capacity.wanted())) {
    throw UsageError("--draw {}: give a name that ends in .svg{}", verb.draw,
                     verb.capacity.wanted() ? "" : " or .png");
  }
  if (verb.greys && verb.memory.rule != models::MemoryRule::modern) {
    throw UsageError("--greys: a {} memory holds bits; take --rule modern, or leave it out",
                     models::memory_rule_names()[static_cast<std::size_t>(verb.memory.rule)]);
  }
}

void take_signs(PicturePattern& pattern) {
  for (double& value : pattern.values) value = value == 0 ? 0 : value < 0 ? -1 : 1;
}

// Of all files, with a name each: its own, or its number.
std::vector<PicturePattern> stored_patterns(const RecallVerb& verb) {
  std::vector<PicturePattern> all;
  if (verb.patterns.empty()) all = corpora::built_in_patterns();
  for (const std::string& file : verb.patterns) {
    const std::int64_t left = verb.store == 0 ? 0 : verb.store - std::ssize(all);
    if (verb.store > 0 && left <= 0) break;
    for (PicturePattern& one : corpora::read_patterns(file, left)) {
      if (!all.empty() && (one.rows != all.front().rows || one.columns != all.front().columns)) {
        throw DataError(
            "{}: patterns of {} by {}, and those before of {} by {}; a memory takes one size", file,
            one.rows, one.columns, all.front().rows, all.front().columns);
      }
      all.push_back(std::move(one));
    }
  }
  if (verb.store > std::ssize(all)) {
    throw UsageError("--store {}: there are {} patterns", verb.store, all.size());
  }
  if (verb.store > 0) all.resize(static_cast<std::size_t>(verb.store));
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].name.empty()) all[i].name = fmt::format("{}", i + 1);
    if (!verb.greys) take_signs(all[i]);
    // 0 has no sign, and bits have to have one.
    if (verb.memory.rule != models::MemoryRule::modern || !verb.greys) {
      all[i].values = models::signs_of(all[i].values);
    }
  }
  return all;
}

std::size_t chosen_item(const RecallVerb& verb, const std::vector<PicturePattern>& stored) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < stored.size(); ++i) {
    if (stored[i].name == verb.item) return i;
    names.push_back(stored[i].name);
  }
  if (verb.item.find_first_not_of("0123456789") == std::string::npos && !verb.item.empty()) {
    const std::int64_t number = parse_integer(verb.item, "--item");
    if (number >= 1 && number <= std::ssize(stored)) return static_cast<std::size_t>(number - 1);
  }
  throw UsageError("--item {}: no stored pattern has this name or number, 1 to {}{}", verb.item,
                   stored.size(), did_you_mean(verb.item, names));
}

struct Question {
  MemoryPattern query;
  MemoryPattern known;  // empty: unknown
  std::string text;     // what was done
};

Question question_of(const RecallVerb& verb, const std::vector<PicturePattern>& stored) {
  const PicturePattern& form = stored.front();
  if (!verb.query.empty()) {
    std::vector<PicturePattern> read = corpora::read_patterns(verb.query, 2);
    if (read.size() != 1) {
      throw DataError("{}: holds more than one pattern; a query is one", verb.query);
    }
    if (read[0].rows != form.rows || read[0].columns != form.columns) {
      throw DataError("{}: a query of {} by {} for patterns of {} by {}; make it the same size",
                      verb.query, read[0].rows, read[0].columns, form.rows, form.columns);
    }
    if (!verb.greys) take_signs(read[0]);
    return {read[0].values, {}, verb.query};
  }
  const PicturePattern& item = stored[chosen_item(verb, stored)];
  models::Damage damage = verb.damage;
  damage.rows = item.rows;
  Random random(verb.seed);
  std::vector<std::string> done;
  if (damage.flip > 0)
    done.push_back(fmt::format("{:.3g}% of its units turned", 100 * damage.flip));
  if (damage.hide != models::HiddenSide::none) {
    done.push_back(fmt::format("the {} half hidden",
                               models::hidden_side_names()[static_cast<std::size_t>(damage.hide)]));
  }
  return {models::damaged(item.values, damage, random), item.values,
          fmt::format("{}, {}", item.name, done.empty() ? "as it is" : join(done, ", "))};
}

// "heart .93, ring .05": the heaviest, in that order.
std::string weights_text(const std::vector<double>& weights,
                         const std::vector<PicturePattern>& stored) {
  std::vector<std::size_t> order(weights.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater(),
                           [&](std::size_t i) { return std::abs(weights[i]); });
  std::vector<std::string> parts;
  for (const std::size_t i : order) {
    if (parts.size() == kMostPrinted || std::abs(weights[i]) < insight::kLeastNumber) break;
    parts.push_back(fmt::format("{} {:.3f}", stored[i].name, weights[i]));
  }
  return parts.empty() ? "none" : join(parts, ", ");
}

// Which stored pattern the last state has the signs of, or is nearest to.
struct Outcome {
  std::size_t nearest = 0;
  double wrong = 1;  // share of units that differ from it
};

Outcome outcome_of(const MemoryPattern& state, const std::vector<PicturePattern>& stored) {
  Outcome best;
  for (std::size_t i = 0; i < stored.size(); ++i) {
    const double wrong = models::wrong_share(state, stored[i].values);
    if (wrong < best.wrong) best = {i, wrong};
  }
  return best;
}

std::string outcome_text(const models::Recollection& found, const Question& question,
                         const std::vector<PicturePattern>& stored) {
  const MemoryPattern& last = found.steps.back().state;
  const Outcome outcome = outcome_of(last, stored);
  const std::string& name = stored[outcome.nearest].name;
  const std::string end = found.settled
                              ? fmt::format("Settled after {} step{}", found.steps.size() - 1,
                                            found.steps.size() == 2 ? "" : "s")
                              : fmt::format("Not settled after {} steps", found.steps.size() - 1);
  std::string text = outcome.wrong == 0
                         ? fmt::format("{}: {}, every unit.", end, name)
                         : fmt::format("{}: nearest is {}, {:.1f}% of the units differ.", end, name,
                                       100 * outcome.wrong);
  if (!question.known.empty()) {
    const double wrong = models::wrong_share(last, question.known);
    text += wrong == 0 ? " That is what was stored."
                       : fmt::format(" {:.1f}% differ from what was asked for.", 100 * wrong);
  }
  return text;
}

void print_text(const models::Recollection& found, const Question& question,
                const std::vector<PicturePattern>& stored) {
  std::vector<insight::ViewedPattern> views;
  fmt::print("{:>5}  {:>12}  weights\n", "step", "energy");
  for (std::size_t i = 0; i < found.steps.size(); ++i) {
    const models::RecallStep& step = found.steps[i];
    fmt::print("{:>5}  {:>12.6g}  {}\n", i, step.energy, weights_text(step.weights, stored));
    views.push_back({i == 0 ? "query" : fmt::format("step {}", i), step.state});
  }
  if (!question.known.empty()) views.push_back({"stored", question.known});
  fmt::print(
      "\n{}\n{}\n",
      insight::pattern_view(views, stored.front().columns, insight::screen_of(STDOUT_FILENO).width),
      outcome_text(found, question, stored));
}

void print_json(const models::Recollection& found, const Question& question,
                const std::vector<PicturePattern>& stored) {
  ordered_json steps = ordered_json::array();
  for (const models::RecallStep& step : found.steps) {
    steps.push_back({{"energy", step.energy}, {"weights", step.weights}, {"state", step.state}});
  }
  const Outcome outcome = outcome_of(found.steps.back().state, stored);
  ordered_json names = ordered_json::array();
  for (const PicturePattern& one : stored) names.push_back(one.name);
  ordered_json all = {{"patterns", names},
                      {"rows", stored.front().rows},
                      {"columns", stored.front().columns},
                      {"settled", found.settled},
                      {"nearest", stored[outcome.nearest].name},
                      {"differs_from_nearest", outcome.wrong}};
  if (!question.known.empty()) {
    all["wrong"] = models::wrong_share(found.steps.back().state, question.known);
  }
  all["steps"] = std::move(steps);
  fmt::print("{}\n", all.dump(2));
}

void draw(const RecallVerb& verb, const models::Recollection& found, const Question& question,
          const std::vector<PicturePattern>& stored) {
  insight::RecallScene scene{
      .columns = stored.front().columns,
      .known = question.known,
      .title = fmt::format("{} memory of {} patterns: {}",
                           models::memory_rule_names()[static_cast<std::size_t>(verb.memory.rule)],
                           stored.size(), question.text),
      .subtitle = outcome_text(found, question, stored)};
  for (const PicturePattern& one : stored) scene.names.push_back(one.name);
  for (const models::RecallStep& step : found.steps) {
    scene.states.push_back(step.state);
    scene.energies.push_back(step.energy);
    scene.weights.push_back(step.weights);
  }
  const insight::PictureStyle style{.theme =
                                        verb.dark ? insight::Theme::dark : insight::Theme::light};
  verb.files.write(verb.draw, lower(verb.draw).ends_with(".png")
                                  ? insight::recall_png(scene, style)
                                  : insight::recall_svg(scene, style));
}

void complete(const RecallVerb& verb) {
  const std::vector<PicturePattern> stored = stored_patterns(verb);
  const Question question = question_of(verb, stored);
  std::vector<MemoryPattern> values;
  for (const PicturePattern& one : stored) values.push_back(one.values);
  const auto memory = models::make_associative_memory(std::move(values), verb.memory);
  const models::Recollection found = models::recall(*memory, question.query, verb.steps);
  verb.json ? print_json(found, question, stored) : print_text(found, question, stored);
  if (!verb.draw.empty()) draw(verb, found, question, stored);
}

void measure(const RecallVerb& verb) {
  models::CapacityOptions options{
      .memory = verb.memory, .steps = verb.steps, .damage = verb.damage, .seed = verb.seed};
  std::vector<MemoryPattern> own;
  if (!verb.patterns.empty()) {
    const std::vector<PicturePattern> stored = stored_patterns(verb);
    options.damage.rows = stored.front().rows;
    for (const PicturePattern& one : stored) own.push_back(one.values);
  }
  const CapacityTable table = verb.capacity.measured(own, options);
  fmt::print("{}", verb.json ? table.json() : table.text());
  if (!verb.draw.empty()) verb.files.write(verb.draw, table.svg());
}

void run(RecallVerb& verb) {
  check(verb);
  if (verb.threads > 0) set_threads(verb.threads);
  std::vector<std::string> inputs = verb.patterns;
  inputs.push_back(verb.query);
  verb.files.reads(inputs);
  verb.files.check(verb.draw);
  verb.capacity.wanted() ? measure(verb) : complete(verb);
}

Action set_up(CommandLine& line) {
  auto verb = std::make_shared<RecallVerb>();
  return line.with_options(verb->list, [verb] { run(*verb); });
}

const ListedVerb kListed(
    {.name = "recall",
     .summary = "Complete a damaged pattern from an associative memory; how many it holds",
     .description = "Stores patterns, damages one or reads a damaged one, and lets the memory run "
                    "until nothing changes: the energy and the weights of the patterns at each "
                    "step, and the states as pictures. With --capacity it counts how many damaged "
                    "patterns come back exactly.",
     .example = "heed recall --item heart --hide bottom\n"
                "heed recall --rule classical --store 4 --flip 0.2 --draw recall.svg\n"
                "heed recall --capacity patterns --draw capacity.svg",
     .setup = set_up});

}  // namespace
}  // namespace heed::cli
