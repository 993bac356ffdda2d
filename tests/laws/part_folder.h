// SPDX-License-Identifier: Apache-2.0
// The parts that a folder of the project holds, by the names of their files.
#pragma once

#include <filesystem>
#include <set>
#include <string>

namespace heed::test {

// A part is one source: those with a header beside them are what several parts share.
inline std::set<std::string> parts_in(const std::string& folder) {
  std::set<std::string> names;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(HEED_SOURCE_DIR) / folder)) {
    const std::filesystem::path& file = entry.path();
    const std::string name = file.stem().string();
    if (file.extension() != ".cpp" || name.ends_with("_test") || name == "main") continue;
    if (!std::filesystem::exists(std::filesystem::path(file).replace_extension(".h"))) {
      names.insert(name);
    }
  }
  return names;
}

}  // namespace heed::test
