// SPDX-License-Identifier: Apache-2.0
// Every training, from its options to a model folder.
#include "heed/pipeline/train.h"

#include <fmt/format.h>

#include <filesystem>

#include "heed/base/threads.h"
#include "heed/pipeline/run_start.h"

namespace heed::pipeline {

TrainingReport train(const KindOptions& options, const Print& print) {
  const ModelKind& kind = options.kind();
  options.check();
  check_start(options, kind);
  if (options.threads > 0) set_threads(options.threads);
  const std::string data = data_fingerprint(options.data_files());
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
  const training::Outcome outcome =
      run_training(options, task, {.task = kind.name, .data = data, .card = card, .print = print});
  return {outcome, nn::parameter_count(task.parameters), setup->data()};
}

}  // namespace heed::pipeline
