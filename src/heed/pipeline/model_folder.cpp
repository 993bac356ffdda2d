// SPDX-License-Identifier: Apache-2.0
// Reading trusts nothing: the format is checked before the config, the config before the weights.
#include "heed/pipeline/model_folder.h"

#include <algorithm>
#include <set>
#include <system_error>

#include "heed/base/error.h"
#include "heed/base/safetensors.h"
#include "heed/base/text.h"
#include "heed/pipeline/model_kind.h"
#include "heed/training/checkpoint.h"

namespace heed::pipeline {
namespace {

// Raised when folders change so that older programs would misread them.
constexpr const char* kFormat = "1";

std::string value_of(const std::map<std::string, std::string>& metadata, const std::string& key) {
  const auto found = metadata.find(key);
  return found == metadata.end() ? std::string() : found->second;
}

}  // namespace

void ModelFolder::save_weights(const nn::Parameters& parameters, const std::string& kind) const {
  nn::save(parameters, weights().string(),
           {{"heed", HEED_VERSION}, {"format", kFormat}, {"task", kind}});
}

void ModelFolder::load_weights(nn::Parameters& parameters) const {
  nn::load(parameters, weights().string());
}

const ModelKind& ModelFolder::kind() const {
  std::error_code ignored;
  if (!std::filesystem::is_directory(path, ignored)) {
    throw DataError("{}: there is no such folder; give one that `heed train` has written",
                    path.string());
  }
  const auto require = [this, &ignored](const std::filesystem::path& file) {
    if (std::filesystem::exists(file, ignored)) return;
    const bool begun = !std::filesystem::exists(weights(), ignored) &&
                       std::filesystem::exists(path / "checkpoints", ignored);
    throw DataError("{}: {} is missing, so this is not a whole model folder; {}", path.string(),
                    file.filename().string(),
                    begun ? "its training has not saved a model yet: run it again to resume"
                          : "put the file back, or give a folder that `heed train` has written");
  };
  require(weights());
  require(config());
  const SafetensorsFile file(weights());
  const std::string format = value_of(file.metadata(), "format");
  if (format != kFormat) {
    throw DataError("{}: {}; this is heed {}, which reads format {}", weights().string(),
                    format.empty() ? "no heed model, its metadata name no format"
                                   : fmt::format("format {}, written by heed {}", format,
                                                 value_of(file.metadata(), "heed")),
                    HEED_VERSION, kFormat);
  }
  const std::string name = value_of(file.metadata(), "task");
  const ModelKind* kind = find_kind(name);
  if (kind == nullptr) {
    throw DataError(
        "{}: a model for the task \"{}\", which this heed {} does not know; it knows {}",
        path.string(), name, HEED_VERSION, join(kind_names(), ", "));
  }
  for (const std::string& one : kind->files) require(path / one);
  return *kind;
}

std::int64_t ModelFolder::most_memory() const {
  // Half a file of float is one of F16; initialisers and tables of positions take their share.
  std::error_code ignored;
  const auto bytes = std::filesystem::file_size(weights(), ignored);
  return 8 * static_cast<std::int64_t>(ignored ? 0 : bytes) + (std::int64_t{64} << 20);
}

void ModelFolder::read_config(Options& options) const {
  try {
    options.read_toml(config());
  } catch (const UsageError& error) {
    throw DataError("{}; the file is damaged, or of another version of heed", error.what());
  }
}

std::string ModelFolder::kept_kind() const {
  std::error_code ignored;
  if (std::filesystem::exists(weights(), ignored)) {
    try {
      return value_of(SafetensorsFile(weights()).metadata(), "task");
    } catch (const DataError&) {
      // Damaged weights say nothing; checkpoints may still be whole.
    }
  }
  if (training::checkpoint_files(path / "checkpoints").empty()) return {};
  // A file that only one kind has tells which it is.
  for (const ModelKind& kind : kinds()) {
    for (const std::string& file : kind.files) {
      const auto has_it = [&](const ModelKind& one) {
        return std::ranges::count(one.files, file) > 0;
      };
      if (std::ranges::count_if(kinds(), has_it) == 1 &&
          std::filesystem::exists(path / file, ignored)) {
        return kind.name;
      }
    }
  }
  return {};
}

void ModelFolder::remove_other_kind(const std::string& kind) const {
  const std::string kept = kept_kind();
  if (kept.empty() || kept == kind) return;
  std::set<std::filesystem::path> files = {weights(), config(), card(), path / "curve.svg"};
  const auto each_file = [this](const ModelKind& one, const auto& call) {
    for (const auto* list : {&one.files, &one.files_of_some}) {
      for (const std::string& file : *list) call(path / file);
    }
  };
  for (const ModelKind& one : kinds()) {
    each_file(one, [&](const std::filesystem::path& file) { files.insert(file); });
  }
  if (const ModelKind* mine = find_kind(kind)) {
    each_file(*mine, [&](const std::filesystem::path& file) { files.erase(file); });
  }
  for (const std::filesystem::path& file : files) {
    std::error_code error;
    std::filesystem::remove(file, error);
    if (error) throw DataError("{}: cannot be removed: {}", file.string(), error.message());
  }
}

void ModelFolder::check(const std::string& wanted) const {
  if (const ModelKind& found = kind(); found.name != wanted) {
    throw DataError("{}: a model for the task \"{}\", not for \"{}\"; {} uses it", path.string(),
                    found.name, wanted, found.verb);
  }
}

}  // namespace heed::pipeline
