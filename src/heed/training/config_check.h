// SPDX-License-Identifier: Apache-2.0
// Whether a run may resume from a checkpoint: its options and data against those recorded there.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/options.h"

namespace heed::training {

// What differs between two texts of lines `NAME = VALUE`, as Options::to_toml() writes them
// (comments and empty lines do not count), save for the names of `ignored`; `here` is the present
// value, `there` the saved one. Sorted by name.
std::vector<Options::Difference> config_differences(std::string_view saved,
                                                    std::string_view present,
                                                    std::span<const std::string> ignored);

// "  learning-rate: was 0.001, is 0.01", one line each.
std::string difference_lines(std::span<const Options::Difference> differences);

}  // namespace heed::training
