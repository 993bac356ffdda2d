// SPDX-License-Identifier: Apache-2.0
// The folder of checkpoints: who may write, which stay, and which is the newest that is whole.
#include "heed/training/checkpoint.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/text.h"

namespace heed::training {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBegin = "update-";
constexpr std::string_view kEnd = ".safetensors";

std::string file_name(std::int64_t update) {
  return fmt::format("{}{:08}{}", kBegin, update, kEnd);
}

// The update of a file name, or nothing when it is no checkpoint's.
std::optional<std::int64_t> update_of(std::string_view name) {
  if (!name.starts_with(kBegin) || !name.ends_with(kEnd)) return std::nullopt;
  const std::string_view digits =
      name.substr(kBegin.size(), name.size() - kBegin.size() - kEnd.size());
  constexpr std::size_t kMostDigits = 18;
  if (digits.empty() || digits.size() > kMostDigits ||
      digits.find_first_not_of("0123456789") != std::string_view::npos) {
    return std::nullopt;
  }
  return parse_integer(digits, "update");
}

[[noreturn]] void fail(const fs::path& path, std::string_view what, const std::error_code& reason) {
  throw DataError("{}: cannot {}: {}", path.string(), what, reason.message());
}

void remove_file(const fs::path& path) {
  std::error_code error;
  fs::remove(path, error);
  if (error) fail(path, "be removed", error);
}

std::vector<fs::path> entries(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> paths;
  fs::directory_iterator at(folder, error);
  for (; !error && at != fs::directory_iterator(); at.increment(error)) paths.push_back(at->path());
  if (error) fail(folder, "be listed", error);
  return paths;
}

}  // namespace

std::vector<CheckpointFile> checkpoint_files(const fs::path& folder) {
  std::vector<CheckpointFile> files;
  std::error_code ignored;
  if (!fs::exists(folder, ignored)) return files;
  for (const fs::path& path : entries(folder)) {
    if (const auto update = update_of(path.filename().string())) files.push_back({*update, path});
  }
  std::ranges::sort(files, {}, &CheckpointFile::update);
  return files;
}

CheckpointStore::CheckpointStore(fs::path folder) : folder_(std::move(folder)) {
  make_folder(folder_);
  const fs::path lock = folder_ / ".lock";
  lock_ = ::open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (lock_ < 0) fail(lock, "be opened", {errno, std::generic_category()});
  // A file system that knows no locks (another errno) goes without.
  if (::flock(lock_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    ::close(lock_);

    throw UsageError("{}: another run is training there; wait for its end or choose another folder",
                     folder_.string());
  }
  for (const fs::path& path : entries(folder_)) {
    const std::string name = path.filename().string();
    if (name.starts_with(fmt::format(".{}", kBegin)) && name.find(".tmp-") != name.npos) {
      std::error_code error;
      fs::remove(path, error);  // only waste: what cannot be removed may stay
    }
  }
}

CheckpointStore::~CheckpointStore() {
  ::close(lock_);
}

fs::path CheckpointStore::save(const Checkpoint& checkpoint, std::int64_t update) {
  fs::path path = folder_ / file_name(update);
  write_checkpoint(checkpoint, path);
  return path;
}

void CheckpointStore::keep(std::int64_t last, std::int64_t best) {
  std::vector<CheckpointFile> files = checkpoint_files(folder_);
  const auto kept =
      std::min(files.size(), static_cast<std::size_t>(std::max<std::int64_t>(last, 1)));
  files.resize(files.size() - kept);
  for (const CheckpointFile& file : files) {
    if (file.update != best) remove_file(file.path);
  }
}

void CheckpointStore::clear() {
  for (const CheckpointFile& file : checkpoint_files(folder_)) remove_file(file.path);
}

std::optional<CheckpointStore::Found> CheckpointStore::newest() {
  const std::vector<CheckpointFile> files = checkpoint_files(folder_);
  if (files.empty()) return std::nullopt;
  std::optional<Found> found;
  std::vector<std::string> problems;
  for (auto file = files.rbegin(); file != files.rend() && !found; ++file) {
    try {
      found = {read_checkpoint(file->path), *file, {}};
    } catch (const DataError& error) {
      problems.emplace_back(error.what());
    }
  }
  if (!found) {
    throw DataError("{}: none of its {} checkpoints can be read; --reset starts over:\n  {}",
                    folder_.string(), files.size(), join(problems, "\n  "));
  }
  // Aside, or they would count among the last ones to keep.
  for (std::size_t i = 0; i < problems.size(); ++i) {
    const fs::path& path = files[files.size() - 1 - i].path;
    const fs::path aside = path.string() + ".damaged";
    std::error_code error;
    fs::rename(path, aside, error);
    if (error) fail(path, "be put aside", error);
    found->warnings.push_back(
        fmt::format("{}; put aside as {}", problems[i], aside.filename().string()));
  }
  return found;
}

}  // namespace heed::training
