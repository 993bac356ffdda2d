// SPDX-License-Identifier: Apache-2.0
// Names, limits and help of the options of every training run.
#include "heed/pipeline/run_options.h"

#include <fmt/format.h>

#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/training/checkpoint.h"

namespace heed::pipeline {

void RunOptions::declare_run(std::span<const Preset> presets) {
  list.add("out", out, "the model's folder");
  list.add("preset", preset, "options that work together: " + join(preset_names(presets), ", "));
  list.add("init-from", init_from,
           "a model folder whose weights training starts from (fine-tuning)");
  list.add("threads", threads, "0: one per core").range(0, 1024);
}

void RunOptions::check_run() const {
  if (out.empty()) throw UsageError("--out: say which folder the model goes to");
  trainer.check();
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
  static const std::vector<std::string> names = {"out", "threads", "samples"};
  return names;
}

}  // namespace heed::pipeline
