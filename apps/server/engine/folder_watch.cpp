// SPDX-License-Identifier: Apache-2.0
// By asking for the files' times: it needs nothing of the system, works over networks and follows
// links, and a look at a folder takes microseconds.
#include "server/engine/folder_watch.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <set>
#include <system_error>

namespace heed::server {

std::string folder_state(const std::filesystem::path& folder) {
  std::set<std::string> files;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    struct stat found {};
    if (name.starts_with('.') || name.ends_with(".md") || name.ends_with(".svg") ||
        name == "curve.tsv") {
      continue;
    }
    if (::stat(entry->path().c_str(), &found) != 0 || !S_ISREG(found.st_mode)) continue;
    files.insert(fmt::format("{} {} {}.{:09} {}\n", name, found.st_size, found.st_mtim.tv_sec,
                             found.st_mtim.tv_nsec, found.st_ino));
  }
  std::string state;
  for (const std::string& file : files) state += file;
  return state;
}

void FolderWatch::note(const std::filesystem::path& folder) {
  const std::string state = folder_state(folder);
  folders_[folder] = {.noted = state, .seen = state};
}

void FolderWatch::forget(const std::filesystem::path& folder) {
  folders_.erase(folder);
}

bool FolderWatch::changed(const std::filesystem::path& folder) {
  const auto found = folders_.find(folder);
  if (found == folders_.end()) return false;
  States& states = found->second;
  const std::string now = folder_state(folder);
  const bool rests = now == states.seen;
  states.seen = now;
  if (!rests || now == states.noted) return false;
  states.noted = now;
  return true;
}

}  // namespace heed::server
