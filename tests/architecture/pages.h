// SPDX-License-Identifier: Apache-2.0
// The guards of the pages: every folder of the library and every page can be found from the top.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

#include "source_tree.h"

namespace heed::test {

// Folders of src/heed that ARCHITECTURE.md does not name, as in `attention/` and
// `attention/scores/`.
inline Findings unnamed_folders(const SourceTree& tree) {
  constexpr std::string_view kLibrary = "src/heed/";
  const SourceFile* page = find(tree, "ARCHITECTURE.md");
  std::set<std::string> folders;
  for (const SourceFile& file : tree) {
    if (!file.path.starts_with(kLibrary)) continue;
    const std::string path = file.path.substr(kLibrary.size());
    for (std::size_t at = path.find('/'); at != std::string::npos; at = path.find('/', at + 1)) {
      folders.insert(path.substr(0, at + 1));
    }
  }
  Findings findings;
  for (const std::string& folder : folders) {
    if (page == nullptr || page->text.find(fmt::format("`{}`", folder)) == std::string::npos) {
      findings.push_back(fmt::format("ARCHITECTURE.md: does not name `{}`", folder));
    }
  }
  return findings;
}

// Pages of docs/ that its map does not link to, or more than once.
inline Findings unmapped_pages(const SourceTree& tree) {
  const SourceFile* map = find(tree, "docs/README.md");
  Findings findings;
  for (const SourceFile& file : tree) {
    if (folder_of(file) != "docs" || !file.path.ends_with(".md") || &file == map) continue;
    const std::string link = fmt::format("]({})", name_of(file));
    if (map == nullptr || map->text.find(link) == std::string::npos) {
      findings.push_back(fmt::format("docs/README.md: does not link to {}", file.path));
    } else if (map->text.find(link) != map->text.rfind(link)) {
      findings.push_back(fmt::format("docs/README.md: links to {} more than once", file.path));
    }
  }
  return findings;
}

// The front door: a newcomer reads two screens, and finds the map of the pages there.
inline Findings wrong_front_door(const SourceTree& tree) {
  constexpr std::ptrdiff_t kLines = 130;
  const SourceFile* page = find(tree, "README.md");
  if (page == nullptr) return {"README.md: there is none"};
  Findings findings;
  const std::ptrdiff_t lines = std::ranges::count(page->text, '\n');
  if (lines > kLines) {
    findings.push_back(fmt::format("README.md: {} lines; at most {} are read", lines, kLines));
  }
  if (page->text.find("](docs/README.md)") == std::string::npos) {
    findings.push_back("README.md: does not link to docs/README.md");
  }
  return findings;
}

}  // namespace heed::test
