// SPDX-License-Identifier: Apache-2.0
// `heed compare`: models side by side on the same data, with a picture.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/output_files.h"
#include "cli/verb.h"
#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/base/threads.h"
#include "heed/insight/draw/comparison_plot.h"
#include "heed/pipeline/comparison.h"

namespace heed::cli {
namespace {

using nlohmann::json;
using pipeline::ComparedMeasure;
using pipeline::ComparedModel;

struct CompareVerb {
  std::vector<std::string> models;
  std::string svg;
  bool json = false;
  int threads = 0;
  pipeline::ComparisonOptions options;
  OutputFiles files;
  Options list;

  CompareVerb() {
    list.add("data", options.data,
             "what they are measured on: for translators the source and its translation, for "
             "others one file");
    list.add("weights", options.weights,
             "in what form the weights of each model are multiplied, in the models' order: f32, "
             "bf16 or int8; none: as they are. One folder given twice shows what a form costs");
    list.add("samples", options.samples, "of the bootstrap").range(1, 1'000'000);
    list.add("seed", options.seed, "of the bootstrap");
    list.add("svg", svg, "draw bars with their intervals to this file");
    list.add("json", json, "print JSON");
    list.add("threads", threads, "threads to compute with; 0: one per core").range(0, 1024);
    files.declare(list);
  }
};

double speed_of(const ComparedModel& contestant) {
  return contestant.seconds > 0 ? contestant.units / contestant.seconds : 0;
}

std::vector<insight::ComparedPanel> panels_of(const std::vector<ComparedModel>& models,
                                              const std::vector<ComparedMeasure>& standings) {
  std::vector<insight::ComparedPanel> panels;
  for (const ComparedMeasure& standing : standings) {
    insight::ComparedPanel panel{.measure = standing.measure};
    for (std::size_t i = 0; i < models.size(); ++i) {
      const metrics::Interval& interval = standing.intervals[i];
      panel.bars.push_back({models[i].name, interval.value, interval.low, interval.high});
    }
    panels.push_back(std::move(panel));
  }
  const auto add = [&](std::string measure, const auto& value_of) {
    insight::ComparedPanel panel{.measure = std::move(measure)};
    for (const ComparedModel& contestant : models) {
      const double value = value_of(contestant);
      panel.bars.push_back({contestant.name, value, value, value});
    }
    panels.push_back(std::move(panel));
  };
  add("parameters", [](const ComparedModel& c) { return static_cast<double>(c.parameters); });
  add(models.front().unit, speed_of);
  return panels;
}

void print_table(const std::vector<ComparedModel>& models,
                 const std::vector<ComparedMeasure>& standings) {
  std::vector<std::vector<std::string>> rows(1, {""});
  for (const ComparedModel& contestant : models) {
    rows[0].push_back(shorten(contestant.name, 24));
  }
  const auto row = [&](std::string_view name, const auto& cell) {
    rows.push_back({std::string(name)});
    for (std::size_t i = 0; i < models.size(); ++i) rows.back().push_back(cell(i));
  };
  for (const ComparedMeasure& standing : standings) {
    row(standing.measure, [&](std::size_t i) {
      const metrics::Interval& interval = standing.intervals[i];
      return fmt::format("{:.4g} ({:.4g}-{:.4g})", interval.value, interval.low, interval.high);
    });
  }
  row("parameters", [&](std::size_t i) { return fmt::format("{}", models[i].parameters); });
  row("file", [&](std::size_t i) { return human_bytes(models[i].file_bytes); });
  row(models.front().unit,
      [&](std::size_t i) { return fmt::format("{:.3g}", speed_of(models[i])); });
  row("CPU seconds", [&](std::size_t i) { return fmt::format("{:.3g}", models[i].cpu_seconds); });
  std::vector<std::size_t> widths(rows[0].size(), 0);
  for (const std::vector<std::string>& cells : rows) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      widths[i] = std::max(widths[i], display_width(cells[i]));
    }
  }
  for (const std::vector<std::string>& cells : rows) {
    std::string line = pad_right(cells[0], widths[0]);
    for (std::size_t i = 1; i < cells.size(); ++i) line += "  " + pad_left(cells[i], widths[i]);
    fmt::print("{}\n", line);
  }
}

void print_differences(const CompareVerb& verb, const std::vector<ComparedModel>& models,
                       const std::vector<ComparedMeasure>& standings) {
  for (const ComparedMeasure& standing : standings) {
    for (std::size_t i = 0; i < standing.against.size(); ++i) {
      const metrics::PairedBootstrap& paired = standing.against[i];
      const double difference = standing.intervals[i + 1].value - standing.intervals[0].value;
      const double surest = std::max(paired.first_wins, paired.second_wins);
      fmt::print("{} against {}: {} {:+.4g}, better in {:.1f}% of {} samples: {}\n",
                 models[i + 1].name, models[0].name, standing.measure, difference,
                 100 * paired.second_wins, verb.options.samples,
                 surest >= 0.975 ? "significant" : "may be chance");
    }
  }
}

json to_json(const std::vector<ComparedModel>& models,
             const std::vector<ComparedMeasure>& standings) {
  json rows = json::array();
  for (std::size_t i = 0; i < models.size(); ++i) {
    const ComparedModel& contestant = models[i];
    json measures;
    for (const ComparedMeasure& standing : standings) {
      const metrics::Interval& interval = standing.intervals[i];
      json& measure = measures[standing.measure];
      measure = {{"value", interval.value}, {"interval", {interval.low, interval.high}}};
      if (i > 0) measure["better_than_first"] = standing.against[i - 1].second_wins;
    }
    rows.push_back({{"name", contestant.name},
                    {"task", contestant.task},
                    {"parameters", contestant.parameters},
                    {"file_bytes", contestant.file_bytes},
                    {"speed", speed_of(contestant)},
                    {"unit", contestant.unit},
                    {"cpu_seconds", contestant.cpu_seconds},
                    {"measures", measures}});
  }
  return {{"models", rows}};
}

void run(CompareVerb& verb) {
  if (verb.models.size() < 2) throw UsageError("give two model folders or more to compare");
  verb.files.reads(verb.options.data);
  verb.files.check(verb.svg);
  if (verb.threads > 0) set_threads(verb.threads);
  const std::vector<std::filesystem::path> folders(verb.models.begin(), verb.models.end());
  const std::vector<ComparedModel> models = pipeline::measure_all(folders, verb.options);
  const std::vector<ComparedMeasure> standings = pipeline::compare_measures(models, verb.options);
  if (!verb.svg.empty()) {
    verb.files.write(verb.svg, insight::comparison_svg(panels_of(models, standings)));
  }
  if (verb.json) {
    fmt::print("{}\n", to_json(models, standings).dump(2));
    return;
  }
  print_table(models, standings);
  print_differences(verb, models, standings);
}

Action set_up(CommandLine& line) {
  auto verb = std::make_shared<CompareVerb>();
  line.add("MODELS", verb->models, "two model folders or more, of one task").kind("");
  return line.with_options(verb->list, [verb] { run(*verb); });
}

const ListedVerb kListed(
    {.name = "compare",
     .summary = "Compare models: quality, size, speed, and whether a difference is chance",
     .description = "Runs each model over the same data. Quality comes with its 95% bootstrap "
                    "interval; each model is compared with the first by "
                    "paired bootstrap (Koehn 2004).",
     .example = "heed compare models/with models/without --data data/test.en data/test.fr --svg "
                "compared.svg",
     .setup = set_up});

}  // namespace
}  // namespace heed::cli
