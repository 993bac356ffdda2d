// SPDX-License-Identifier: Apache-2.0
// One function per task that runs a model over the data; all else is the same for every task.
#include "heed/pipeline/comparison.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <memory>

#include "heed/base/error.h"
#include "heed/base/safetensors.h"
#include "heed/base/text.h"
#include "heed/metrics/bleu.h"
#include "heed/metrics/chrf.h"
#include "heed/pipeline/model_facts.h"
#include "heed/pipeline/model_folder.h"
#include "heed/pipeline/translator.h"
#include "heed/text/lines.h"

namespace heed::pipeline {
namespace {

using Sentences = std::span<const std::size_t>;

// Σ top / Σ bottom over sentences, then `last`.
Measure ratio(std::string name, std::vector<double> top, std::vector<double> bottom,
              double (*last)(double)) {
  return {.name = std::move(name), .on = [=](Sentences sentences) {
            double above = 0, below = 0;
            for (const std::size_t i : sentences) {
              above += top[i];
              below += bottom[i];
            }
            return last(below > 0 ? above / below : 0);
          }};
}

double percent(double share) {
  return 100 * share;
}

class Stopwatch {
 public:
  void stop(Contestant& contestant) const {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start_;
    contestant.seconds = passed.count();
    contestant.cpu_seconds = static_cast<double>(std::clock() - cpu_) / CLOCKS_PER_SEC;
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::clock_t cpu_ = std::clock();
};

void require_files(const ComparisonOptions& options, std::size_t count, std::string_view what) {
  if (options.data.size() == count) return;
  throw UsageError("--data has {} files; {}", options.data.size(), what);
}

void measure_translator(const std::filesystem::path& folder, const ComparisonOptions& options,
                        Contestant& contestant) {
  require_files(options, 2, "translators take two: the source text and its translation");
  const std::vector<std::string> sources = text::read_lines(options.data[0]);
  auto references = std::make_shared<std::vector<std::string>>(text::read_lines(options.data[1]));
  if (sources.size() != references->size() || sources.empty()) {
    throw DataError("{} has {} lines, {} has {}; they go line by line", options.data[0],
                    sources.size(), options.data[1], references->size());
  }
  const Translator translator(folder);
  const Stopwatch watch;
  const std::vector<Translations> all = translator.translate(sources);
  watch.stop(contestant);
  auto statistics = std::make_shared<std::vector<metrics::BleuStatistics>>();
  auto texts = std::make_shared<std::vector<std::string>>();
  std::vector<double> exact;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string& text = all[i].front().text;
    const std::vector<std::string> right = {(*references)[i]};
    statistics->push_back(metrics::bleu_statistics(text, right));
    texts->push_back(text);
    exact.push_back(text == right.front() ? 1 : 0);
  }
  contestant.sentences = sources.size();
  contestant.unit = "sentences/s";
  contestant.units = static_cast<double>(sources.size());
  contestant.measures.push_back({.name = "BLEU", .on = [statistics](Sentences sentences) {
                                   metrics::BleuStatistics sum;
                                   for (const std::size_t i : sentences) sum += (*statistics)[i];
                                   return metrics::bleu_of(sum).score;
                                 }});
  contestant.measures.push_back(
      ratio("exact %", exact, std::vector<double>(exact.size(), 1), percent));
}

struct ComparedTask {
  std::string_view name;
  void (*measure)(const std::filesystem::path&, const ComparisonOptions&, Contestant&);
};

constexpr ComparedTask kTasks[] = {{"translate", measure_translator}};

const ComparedTask& find_task(const std::string& task, const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const ComparedTask& entry : kTasks) {
    if (entry.name == task) return entry;
    names.emplace_back(entry.name);
  }
  throw UsageError("{}: models for the task \"{}\" cannot be compared; those of {} can",
                   folder.string(), task, join(names, ", "));
}

// The measure with its sign turned where less is more, so that the larger one wins.
metrics::SampleMeasure goodness(const Measure& measure) {
  if (!measure.lower_is_better) return measure.on;
  return [on = measure.on](Sentences sentences) { return -on(sentences); };
}

}  // namespace

std::vector<Contestant> measure_all(std::span<const std::filesystem::path> folders,
                                    const ComparisonOptions& options) {
  std::vector<Contestant> contestants;
  for (const std::filesystem::path& folder : folders) {
    const insight::ModelFacts facts = facts_of_folder(folder);
    Contestant contestant{.name = folder.string(), .task = facts.task};
    if (!contestants.empty() && contestants.front().task != facts.task) {
      throw UsageError("{} is for the task \"{}\", {} for \"{}\"; compare models of one task",
                       contestants.front().name, contestants.front().task, contestant.name,
                       facts.task);
    }
    contestant.parameters = insight::describe(facts).cost.parameters;
    contestant.file_bytes = std::filesystem::file_size(ModelFolder{folder}.weights());
    find_task(facts.task, folder).measure(folder, options, contestant);
    contestants.push_back(std::move(contestant));
  }
  return contestants;
}

std::vector<Standing> stand(std::span<const Contestant> contestants,
                            const ComparisonOptions& options) {
  std::vector<Standing> standings;
  if (contestants.empty()) return standings;
  const Contestant& first = contestants.front();
  for (std::size_t m = 0; m < first.measures.size(); ++m) {
    Standing standing{.measure = first.measures[m].name};
    for (std::size_t i = 0; i < contestants.size(); ++i) {
      Random alone(options.seed, 2 * i), paired(options.seed, 2 * i + 1);
      const Measure& measure = contestants[i].measures[m];
      standing.intervals.push_back(
          metrics::bootstrap_interval(first.sentences, measure.on, alone, options.samples));
      if (i == 0) continue;
      standing.against.push_back(
          metrics::paired_bootstrap(first.sentences, goodness(first.measures[m]), goodness(measure),
                                    paired, options.samples));
    }
    standings.push_back(std::move(standing));
  }
  return standings;
}

}  // namespace heed::pipeline
