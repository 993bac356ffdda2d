// SPDX-License-Identifier: Apache-2.0
// Presets: options that work together, by name; they fill in what is not set.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/options.h"

#pragma GCC visibility push(default)  // exported

namespace heed::pipeline {

struct Preset {
  std::string_view name;
  std::string_view text;  // TOML
};

std::vector<std::string> preset_names(std::span<const Preset> presets);
// UsageError for a preset that there is not, naming the nearest.
std::string preset_text(std::span<const Preset> presets, const std::string& name);

// Gives `options` the values that `wishes` has set and that are not set there; `name` stands for
// their file in messages.
void fill_in(Options& options, const Options& wishes, const std::string& name);

// Takes from the preset of `mine` whatever neither command line nor file has said.
template <typename TaskOptions>
void apply_preset(TaskOptions& mine, std::span<const Preset> presets) {
  if (mine.preset.empty()) return;
  const std::string name = "preset " + mine.preset;
  TaskOptions wishes;
  wishes.list.read_toml_text(preset_text(presets, mine.preset), name);
  fill_in(mine.list, wishes.list, name);
}

}  // namespace heed::pipeline

#pragma GCC visibility pop
