// SPDX-License-Identifier: Apache-2.0
// Presets, found by name and laid under what has been said.
#include "heed/pipeline/presets.h"

#include <fmt/format.h>

#include <algorithm>

#include "heed/base/error.h"
#include "heed/base/text.h"

namespace heed::pipeline {

std::vector<std::string> preset_names(std::span<const Preset> presets) {
  std::vector<std::string> names;
  for (const Preset& preset : presets) names.emplace_back(preset.name);
  return names;
}

std::string preset_text(std::span<const Preset> presets, const std::string& name) {
  const auto found = std::ranges::find(presets, name, &Preset::name);
  if (found == presets.end()) {
    const std::vector<std::string> names = preset_names(presets);
    throw UsageError("--preset: there is no \"{}\"{}; there are {}", name,
                     did_you_mean(name, names), join(names, ", "));
  }
  return std::string(found->text);
}

void fill_in(Options& options, const Options& wishes, const std::string& name) {
  for (const Option& option : wishes.all()) {
    if (!wishes.is_set(option.name()) || options.is_set(option.name())) continue;
    options.read_toml_text(fmt::format("{} = {}\n", option.name(), option.value_text()), name);
  }
}

}  // namespace heed::pipeline
