// SPDX-License-Identifier: Apache-2.0
// Names, limits and help of the options of every training run.
#include "heed/pipeline/run_options.h"

#include <fmt/format.h>

#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/pipeline/examples.h"
#include "heed/training/checkpoint.h"

namespace heed::pipeline {

void RunOptions::declare_run(std::span<const Preset> presets) {
  list.section("Run");
  list.add("out", out, "the model's folder").letter('o').kind("FOLDER").required();
  list.add("preset", preset, "options that work together: " + join(preset_names(presets), ", "))
      .letter('p')
      .kind("NAME");
  list.add("init-from", init_from,
           "a model folder whose weights training starts from (fine-tuning)")
      .kind("FOLDER");
  list.add("examples", examples,
           "held-out texts kept in the folder, which the page of heed serve offers to try; 0: none")
      .range(0, static_cast<double>(kMostExamples));
  list.add("choose", choose,
           "when training has ended, choose on validation how the model is used unless a call says "
           "otherwise: a length penalty, a temperature; the folder keeps it in choices.tsv");
  list.add("threads", threads, "threads to compute with; 0: one per core").range(0, 1024);
  list.add("seeds", seeds,
           "train once with each of these seeds, in folders of their own below --out, and give the "
           "mean of the metrics and their spread")
      .kind("N");
  list.add(
          "folds", folds,
          "cross-validation: hold out each of so many parts of the training data in turn, likewise")
      .range(0, 1000);
  list.add("dry-run", dry_run, "check the data, say what a training would take, and write nothing");
}

void RunOptions::check_run() const {
  if (out.empty()) throw UsageError("--out: say which folder the model goes to");
  trainer.check();
  draw.check();
}

void RunOptions::copy_values(const RunOptions& other) {
  for (const Option& option : other.list.all()) {
    if (!other.list.is_set(option.name())) continue;
    list.read_toml_text(fmt::format("{} = {}\n", option.name(), option.value_text()), "a copy");
  }
}

bool RunOptions::goes_on() const {
  return !trainer.reset && !training::checkpoint_files(folder().path / "checkpoints").empty();
}

const std::vector<std::string>& changeable_run_options() {
  static const std::vector<std::string> names = {"out",   "threads", "dry-run",  "seeds",
                                                 "folds", "samples", "examples", "choose"};
  return names;
}

}  // namespace heed::pipeline
