// SPDX-License-Identifier: Apache-2.0
// What is known of a model before it runs: of a folder from its files, of a config or a preset from
// the model that they would make.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "heed/insight/describe/description.h"

namespace heed::pipeline {

// A model folder of any task. DataError naming the file for one that is not whole.
insight::ModelFacts facts_of_folder(const std::filesystem::path& folder);

// The tasks whose models can be made from options alone.
std::vector<std::string> described_tasks();

// Names of a task's presets. UsageError for a task without models.
std::vector<std::string> described_presets(const std::string& task);

// A config file or a recipe; with no word on a vocabulary's real size, --vocabulary-size counts.
// An empty task is that of the model folder it lies in, else the first that has all its options.
// UsageError for a task without models, and as of reading options.
insight::ModelFacts facts_of_config(const std::filesystem::path& config, const std::string& task);

// A preset of this task or, with an empty one, of the first that has it; nothing when none has.
std::optional<insight::ModelFacts> facts_of_preset(const std::string& name,
                                                   const std::string& task = {});

}  // namespace heed::pipeline
