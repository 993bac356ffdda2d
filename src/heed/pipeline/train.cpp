// SPDX-License-Identifier: Apache-2.0
// The course of every training, from its options to a model folder.
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
  const std::unique_ptr<Course> course = options.course(print);
  training::Task task = course->task();
  task.parameters = course->parameters();
  const auto card = [&](const training::Metrics& measured) -> ModelCard {
    return {.title = std::filesystem::path(options.out).filename().string(),
            .kind = fmt::format("A {}", kind.noun),
            .facts = course->facts(),
            .measured = measured,
            .use = kind.use_of(options.out)};
  };
  const training::Outcome outcome =
      run_training(options, task, {.task = kind.name, .data = data, .card = card, .print = print});
  return {outcome, nn::parameter_count(task.parameters), course->data()};
}

}  // namespace heed::pipeline
