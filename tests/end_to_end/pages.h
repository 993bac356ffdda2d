// SPDX-License-Identifier: Apache-2.0
// The pages of the project: README.md and its like, docs/*.md, and those of the examples.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "heed/base/testing.h"

namespace heed::test {

// The folders of examples/.
inline std::vector<std::filesystem::path> examples() {
  std::vector<std::filesystem::path> folders;
  for (const auto& entry : std::filesystem::directory_iterator(HEED_SOURCE_DIR "/examples")) {
    if (entry.is_directory()) folders.push_back(entry.path());
  }
  return folders;
}

// The texts of the pages by their paths from the root.
inline std::map<std::string, std::string> pages() {
  const std::filesystem::path root = HEED_SOURCE_DIR;
  std::vector<std::filesystem::path> folders = examples();
  folders.insert(folders.end(), {root, root / "docs", root / "examples"});
  std::map<std::string, std::string> all;
  for (const std::filesystem::path& folder : folders) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() == ".md") {
        all[std::filesystem::relative(entry.path(), root).string()] = get(entry.path());
      }
    }
  }
  return all;
}

}  // namespace heed::test
