// SPDX-License-Identifier: Apache-2.0
// What is known of a model before it runs: of a folder from its files, of a config or a preset from
// the model that they would make.
#pragma once  // public header

#include <filesystem>
#include <optional>
#include <string>

#include "heed/insight/describe/description.h"

#pragma GCC visibility push(default)  // exported

namespace heed::pipeline {

// A model folder of any kind. DataError naming the file for one that is not whole.
insight::ModelFacts facts_of_folder(const std::filesystem::path& folder);

// A config file or a recipe; with no word on a vocabulary's real size, --vocabulary-size counts.
// An empty kind is that of the model folder it lies in, else the first that has all its options.
// UsageError for a kind that there is not, and as of reading options.
insight::ModelFacts facts_of_config(const std::filesystem::path& config, const std::string& kind);

// A preset of this kind or, with an empty one, of the first that has it; nothing when none has.
std::optional<insight::ModelFacts> facts_of_preset(const std::string& name,
                                                   const std::string& kind = {});

}  // namespace heed::pipeline

#pragma GCC visibility pop
