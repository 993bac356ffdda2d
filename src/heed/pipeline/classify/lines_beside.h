// SPDX-License-Identifier: Apache-2.0
// A file whose line n belongs to text n of another, such as evidence or trees.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>

namespace heed::pipeline {

// Called for each line: its number from 0, the line, and where it is, "gold.heads:7".
using LineBeside =
    std::function<void(std::size_t text, const std::string& line, const std::string& where)>;

// DataError with both files unless `path` has one line for each of `texts` texts, which come from
// the file `data`.
void read_beside(const std::filesystem::path& path, std::size_t texts,
                 const std::filesystem::path& data, const LineBeside& each);

}  // namespace heed::pipeline
