// SPDX-License-Identifier: Apache-2.0
// Every training, from its options to a model folder.
#include "heed/pipeline/train.h"

#include <fmt/format.h>

#include <filesystem>

#include "heed/base/error.h"
#include "heed/base/threads.h"
#include "heed/base/warning.h"
#include "heed/nn/initialisers.h"
#include "heed/pipeline/data_check.h"
#include "heed/pipeline/run_start.h"
#include "heed/pipeline/training_cost.h"

namespace heed::pipeline {
namespace {

// Enough for the smallest of models; mechanisms and shapes are refused at any size.
constexpr std::int64_t kSketchedVocabulary = 16;

// What there is to learn from, in a few lines, and what looks wrong with it. DataError for what
// the training would refuse, before it has learnt a vocabulary.
DataCheck look_at_data(const KindOptions& options, const Print& print) {
  DataCheck check = check_data(options, options.dry_run ? 0 : kShortCheckBytes);
  for (const text::PartCheck& part : check.parts) {
    if (!part.problem.empty()) throw DataError("{}", part.problem);
  }
  for (const std::string& line : summary(check)) say(print, line);
  for (const std::string& line : check.warnings) print ? print("warning: " + line) : warn(line);
  return check;
}

}  // namespace

void check_before_data(const KindOptions& options) {
  options.check();
  options.trainer.check_end(options.validates());
  check_start(options, options.kind(), options.data_files());
  Random random(options.trainer.seed);
  const nn::ZeroWeights shapes_alone;
  options.sketch(random, kSketchedVocabulary);
}

TrainingReport train(const KindOptions& options, const Print& print) {
  const ModelKind& kind = options.kind();
  check_before_data(options);
  if (options.threads > 0) set_threads(options.threads);
  const std::string data = data_fingerprint(options.data_files());
  if (options.dry_run || !options.goes_on()) {
    const DataCheck check = look_at_data(options, print);
    if (options.dry_run) {
      const TrainingCost cost = training_cost(options, check);
      say(print, cost.to_string());
      return {.outcome = {}, .parameters = cost.parameters, .dry_run = true};
    }
  }
  const std::unique_ptr<TrainingSetup> setup = options.setup(print);
  training::Task task = setup->task();
  task.parameters = setup->parameters();
  const auto card = [&](const training::Metrics& measured) -> ModelCard {
    return {.title = std::filesystem::path(options.out).filename().string(),
            .kind = fmt::format("A {}", kind.noun),
            .facts = setup->facts(),
            .measured = measured,
            .use = kind.use_of(options.out)};
  };
  OutFolder folder(options.folder(), kind);
  if (!options.goes_on()) setup->save_files(options.folder());
  const training::Outcome outcome =
      run_training(options, task,
                   {.task = kind.name,
                    .data = data,
                    .card = card,
                    .examples = setup->examples(),
                    .longest = [&] { return setup->longest(); },
                    .choose = [&] { return setup->choose(options.folder(), print); },
                    .print = print});
  folder.keep();
  return {.outcome = outcome,
          .parameters = nn::parameter_count(task.parameters),
          .metrics = task.metrics,
          .data = setup->data()};
}

}  // namespace heed::pipeline
