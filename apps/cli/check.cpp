// SPDX-License-Identifier: Apache-2.0
// `heed check`: data looked at before a training: what there is, what looks wrong, what a training
// would take.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/check_report.h"
#include "cli/verb.h"
#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/base/threads.h"

namespace heed::cli {
namespace {

struct CheckVerb {
  std::vector<std::string> files;
  std::string task;
  std::string preset;
  text::LabelledOptions labelled;
  std::vector<std::string> aspects = {"label"};
  bool second = false;
  bool measure = true;
  bool json = false;
  int threads = 0;
  Options list;

  CheckVerb() {
    list.add("task", task,
             "the kind of model they are for: " + join(pipeline::kind_names(), ", ") +
                 "; without it, the one that such files suit");
    list.add("preset", preset, "of the training that is tried");
    labelled.declare(list, "labelled texts");
    list.add("aspects", aspects, "labelled texts: names of what is classified");
    list.add("second", second, "labelled texts: there is a second text");
    list.add("measure", measure, "make a few updates to see what a training takes");
    list.add("json", json, "print JSON");
    list.add("threads", threads, "threads to compute with; 0: one per core").range(0, 1024);
  }
};

using KindsOptions = std::unique_ptr<pipeline::KindOptions>;

// The options of a kind's training with these files. Flags that only other kinds have are for
// those.
KindsOptions options_of(const pipeline::ModelKind& kind, const CheckVerb& verb) {
  KindsOptions options = kind.options();
  for (const Option& said : verb.list.all()) {
    if (!verb.list.is_set(said.name())) continue;
    if (options->list.find(said.name()) == nullptr) continue;
    options->list.read_toml_text(fmt::format("{} = {}\n", said.name(), said.value_text()),
                                 "the command line");
  }
  options->take_data(verb.files);
  options->apply_preset();
  return options;
}

struct Candidate {
  const pipeline::ModelKind* kind;
  double suits;
};

// The kinds that such files suit, the best first.
std::vector<Candidate> candidates(const CheckVerb& verb) {
  if (!verb.task.empty()) return {{&pipeline::kind_called(verb.task), 1}};
  std::vector<Candidate> found;
  std::vector<std::string> presets;
  for (const pipeline::ModelKind& kind : pipeline::kinds()) {
    const std::vector<std::string> names = pipeline::preset_names(kind.presets());
    presets.insert(presets.end(), names.begin(), names.end());
    if (!verb.preset.empty() && std::ranges::count(names, verb.preset) == 0) continue;
    const double suits = kind.options()->suits(verb.files);
    if (suits > 0) found.push_back({&kind, suits});
  }
  if (!verb.preset.empty() && std::ranges::count(presets, verb.preset) == 0) {
    throw UsageError("--preset: no kind of model has a preset \"{}\"{}", verb.preset,
                     did_you_mean(verb.preset, presets));
  }
  if (found.empty()) {
    throw UsageError("{} file{}: for which kind of model are they? Say so with --task: {}",
                     verb.files.size(), verb.files.size() == 1 ? "" : "s",
                     join(pipeline::kind_names(), ", "));
  }
  std::ranges::stable_sort(found, std::greater<>(), &Candidate::suits);
  return found;
}

TriedTraining tried(const pipeline::ModelKind& kind, const CheckVerb& verb,
                    const pipeline::DataCheck& check) {
  TriedTraining training{.command = fmt::format("heed train {}", kind.name), .preset = verb.preset};
  try {
    training.cost = pipeline::training_cost(*options_of(kind, verb), check);
  } catch (const UsageError& error) {
    training.problem = error.what();
  } catch (const DataError& error) {
    training.problem = error.what();
  }
  return training;
}

void run(const CheckVerb& verb) {
  if (verb.threads > 0) set_threads(verb.threads);
  const std::vector<Candidate> kinds = candidates(verb);
  const pipeline::ModelKind& first = *kinds.front().kind;
  const KindsOptions options = options_of(first, verb);
  const std::vector<text::DataPart> parts = options->data_parts();
  CheckReport report{.task = first.name,
                     .noun = first.noun,
                     .guessed = verb.task.empty(),
                     .check = pipeline::check_data(*options)};
  std::string problem;
  for (const text::PartCheck& part : report.check.parts) {
    if (problem.empty()) problem = part.problem;
  }
  for (const Candidate& one : kinds) {
    // Another kind that reads the data in the same way needs no second check.
    if (!verb.measure || !problem.empty()) break;
    if (one.kind != &first && options_of(*one.kind, verb)->data_parts() != parts) continue;
    report.trainings.push_back(tried(*one.kind, verb, report.check));
  }
  fmt::print("{}", verb.json ? report_json(report) : report_text(report));
  if (!problem.empty()) throw DataError("a training would refuse these data: {}", problem);
}

Action set_up(CommandLine& line) {
  auto verb = std::make_shared<CheckVerb>();
  line.add("FILE", verb->files,
           "the data: training, then validation; of translators each a source and its target")
      .required();
  return line.with_options(verb->list, [verb] { run(*verb); });
}

const ListedVerb kListed(
    {.name = "check",
     .summary = "Look at data before a training: what there is, what is odd, what it would take",
     .description = "Counts texts, classes, words, repeated texts and odd lines, compares "
                    "validation with training data, and tries a few updates. Any size, in little "
                    "memory. Exits with 3 where a training would refuse the data.",
     .example = "heed check data/train.tsv data/valid.tsv --task classify\n"
                "heed check reviews.csv --text-column review --label-column stars",
     .setup = set_up});

}  // namespace
}  // namespace heed::cli
