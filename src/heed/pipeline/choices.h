// SPDX-License-Identifier: Apache-2.0
// Choices: numbers that validation chose when a training ended, such as the length penalty of a
// translator or the temperature of a classifier. A model folder keeps them as choices.tsv, a name
// and a number on each line, and the model is used with them unless a call says otherwise.
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "heed/base/exported.h"

namespace heed::pipeline {

inline constexpr const char* kChoicesFile = "choices.tsv";

using Choices = std::map<std::string, double>;

// A number that a kind of model knows.
struct KnownChoice {
  std::string name = {};
  double low = 0;  // both included
  double high = 0;
};

// Those of a folder; none where there is no such file. DataError with file and line for what is not
// one of the known numbers within its limits.
Choices read_choices(const std::filesystem::path& folder, std::span<const KnownChoice> known);
// The same of the file's text; `name` is for messages.
Choices parse_choices(std::string_view text, const std::string& name,
                      std::span<const KnownChoice> known);

// Puts them into a folder; without any, removes those that are there.
HEED_EXPORTED void write_choices(const std::filesystem::path& folder, const Choices& choices);

// The number of this name, or another where none was chosen.
double chosen(const Choices& choices, const std::string& name, double otherwise);

}  // namespace heed::pipeline
