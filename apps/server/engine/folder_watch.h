// SPDX-License-Identifier: Apache-2.0
// FolderWatch: notices model folders whose files have changed, once they are at rest.
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace heed::server {

// What tells a model folder from what it was: names, sizes, times and places on the disk of its
// files. Cards, curves and checkpoints are left out, and so are files that are being written:
// training changes them all the time, and nothing that is served depends on them. Empty for a
// folder that cannot be read.
std::string folder_state(const std::filesystem::path& folder);

class FolderWatch {
 public:
  // The folder is about to be loaded as it is now.
  void note(const std::filesystem::path& folder);
  void forget(const std::filesystem::path& folder);
  // Whether it differs from what was noted, and has not changed since the last call: copying a
  // large file takes a while, and half of it is no model. True once for each change.
  bool changed(const std::filesystem::path& folder);

 private:
  struct States {
    std::string noted{};
    std::string seen{};
  };
  std::map<std::filesystem::path, States> folders_{};
};

}  // namespace heed::server
