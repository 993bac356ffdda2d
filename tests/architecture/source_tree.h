// SPDX-License-Identifier: Apache-2.0
// The project's own files as text, for tests that read them.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/file.h"
#include "heed/base/text.h"

namespace heed::test {

struct SourceFile {
  std::string path = {};  // from the project's root, with '/'
  std::string text = {};
};

using SourceTree = std::vector<SourceFile>;  // sorted by path
using Findings = std::vector<std::string>;   // what breaks a rule: "path:line: what"

inline std::string name_of(const SourceFile& file) {
  return std::filesystem::path(file.path).filename().string();
}

inline std::string folder_of(const SourceFile& file) {
  return std::filesystem::path(file.path).parent_path().string();
}

inline bool is_cpp(const SourceFile& file) {
  return file.path.ends_with(".cpp") || file.path.ends_with(".h");
}

inline bool is_text(const SourceFile& file) {
  return file.text.find('\0') == std::string::npos && invalid_utf8(file.text) == std::string::npos;
}

// Every file below root, except what is built or fetched (the folders of .gitignore), git's own,
// and the corpora of the fuzz targets, which are bytes.
inline SourceTree read_tree(const std::filesystem::path& root) {
  namespace fs = std::filesystem;
  SourceTree tree;
  const auto skipped = [](const std::string& path) {
    const std::string name = fs::path(path).filename().string();
    return path == "build" || name == ".git" || name == ".cache" || name == "node_modules" ||
           name == "__pycache__" ||
           (path.starts_with("tests/fuzz/") && fs::path(path).extension().empty());
  };
  for (auto entry = fs::recursive_directory_iterator(root); entry != fs::end(entry); ++entry) {
    const std::string path = fs::relative(entry->path(), root).generic_string();
    if (skipped(path)) {
      if (entry->is_directory()) entry.disable_recursion_pending();
    } else if (entry->is_regular_file()) {
      tree.push_back({path, read_file(entry->path())});
    }
  }
  std::ranges::sort(tree, {}, &SourceFile::path);
  return tree;
}

inline const SourceFile* find(const SourceTree& tree, std::string_view path) {
  const auto found = std::ranges::find(tree, path, &SourceFile::path);
  return found == tree.end() ? nullptr : &*found;
}

}  // namespace heed::test
