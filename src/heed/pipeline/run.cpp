// SPDX-License-Identifier: Apache-2.0
// What the trainer is given on behalf of every task.
#include "heed/pipeline/run.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdio>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/text.h"
#include "heed/base/verbosity.h"
#include "heed/insight/draw/curve_plot.h"
#include "heed/pipeline/choices.h"
#include "heed/pipeline/examples.h"
#include "heed/pipeline/learnt_curves.h"
#include "heed/text/fingerprint.h"

namespace heed::pipeline {

void say(const Print& print, std::string_view line) {
  if (print) {
    print(line);
  } else {
    note(line);
  }
}

namespace {

// As the card says it.
std::string ending_of(const training::Outcome& outcome) {
  if (outcome.ending == training::Ending::interrupted) {
    return fmt::format("interrupted at update {}: not finished, the same command resumes it",
                       outcome.updates);
  }
  return fmt::format(
      "finished after {} update{}{}", outcome.updates, outcome.updates == 1 ? "" : "s",
      outcome.ending == training::Ending::early_stopping ? ", as validation no longer improved"
                                                         : "");
}

}  // namespace

training::Outcome run_training(const RunOptions& options, training::Task task,
                               const RunFrame& frame) {
  const ModelFolder folder = options.folder();
  training::Metrics latest;
  if (task.validate) {
    task.validate = [&latest, measure = task.validate] { return latest = measure(); };
  }
  if (options.trainer.reset) folder.remove_other_kind(frame.task);
  const nn::Parameters parameters = task.parameters;
  LearntCurves learnt(folder, options.list, frame.task, parameters);
  const auto write_card = [&](const training::Metrics& measured, const std::string& how,
                              const CardFacts& choices = {}) {
    ModelCard card = frame.card(measured);
    card.facts.insert(card.facts.end(), choices.begin(), choices.end());
    card.facts.emplace_back("training", how);
    write_atomically(folder.card(), card.text());
  };
  task.save_model = [&] {
    write_choices(folder.path, {});  // they were of other weights
    write_atomically(folder.config(), options.list.to_toml());
    folder.save_weights(parameters, frame.task, frame.longest ? frame.longest() : 0);
    write_card(latest, "not finished");
    write_examples(folder.path, frame.examples);
  };
  training::Outcome outcome = training::train(
      task, options.trainer,
      {.folder = folder.path,
       .config = options.list.to_toml(),
       .changeable = changeable_run_options(),
       .data = frame.data,
       .draw =
           [&folder, &learnt](const training::Curve& curve) {
             learnt.draw(curve);
             write_atomically(folder.curve(), curve.text());
             write_atomically(folder.path / "curve.svg", insight::curve_svg(curve, "training"));
           },
       .print = frame.print});
  CardFacts choices;
  if (frame.choose && options.choose && outcome.ending != training::Ending::interrupted) {
    write_choices(folder.path, {});  // what is chosen again is not chosen on top of itself
    choices = frame.choose();
  }
  write_card(outcome.best.empty() ? latest : outcome.best, ending_of(outcome), choices);
  return outcome;
}

std::string data_fingerprint(std::span<const std::string> files) {
  std::string lines;
  for (const std::string& file : files) {
    if (!file.empty()) lines += fmt::format("{} = {}\n", file, text::fingerprint(file).to_string());
  }
  return lines;
}

std::string written_place(std::span<const std::uint64_t> numbers) {
  return fmt::format("{}", fmt::join(numbers, " "));
}

std::vector<std::uint64_t> place_numbers(const std::string& written, std::size_t count) {
  std::vector<std::uint64_t> numbers;
  for (const std::string_view word : split(written, ' ')) {
    const char* end = word.data() + word.size();
    std::uint64_t number = 0;
    const auto [stop, error] = std::from_chars(word.data(), end, number);
    if (error != std::errc() || stop != end) break;
    numbers.push_back(number);
  }
  if (numbers.size() != count || split(written, ' ').size() != count) {
    throw DataError("checkpoint: \"{}\" is not a place in the data; {} whole numbers are", written,
                    count);
  }
  return numbers;
}

}  // namespace heed::pipeline
