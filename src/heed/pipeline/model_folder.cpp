// SPDX-License-Identifier: Apache-2.0
// Reading trusts nothing: the format is checked before the config, the config before the weights.
#include "heed/pipeline/model_folder.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <system_error>

#include "heed/base/error.h"
#include "heed/base/safetensors.h"
#include "heed/base/text.h"
#include "heed/pipeline/folder_seal.h"
#include "heed/pipeline/model_kind.h"
#include "heed/pipeline/train.h"
#include "heed/training/checkpoint.h"

namespace heed::pipeline {
namespace {

// Raised when folders change so that older programs would misread them.
constexpr const char* kFormat = "1";
constexpr const char* kLongest = "longest";

std::string value_of(const std::map<std::string, std::string>& metadata, const std::string& key) {
  const auto found = metadata.find(key);
  return found == metadata.end() ? std::string() : found->second;
}

}  // namespace

void ModelFolder::save_weights(const nn::Parameters& parameters, const std::string& kind,
                               std::int64_t longest) const {
  Metadata metadata = seal_of(*this, find_kind(kind));
  metadata["heed"] = HEED_VERSION;
  metadata["format"] = kFormat;
  metadata["task"] = kind;
  if (longest > 0) metadata[kLongest] = fmt::format("{}", longest);
  nn::save(parameters, weights().string(), metadata);
}

void ModelFolder::load_weights(nn::Parameters& parameters) const {
  const bool sealed = SafetensorsFile(weights()).metadata().contains("config");
  try {
    nn::load(parameters, weights().string());
  } catch (const DataError& error) {
    if (sealed) throw;
    throw DataError(
        "{}\n{} or a vocabulary does not belong to these weights, or was changed; put back the "
        "file "
        "of that training",
        error.what(), config().filename().string());
  }
}

std::int64_t ModelFolder::longest() const {
  const SafetensorsFile file(weights());
  const std::string written = value_of(file.metadata(), kLongest);
  std::int64_t longest = 0;
  const char* const end = written.data() + written.size();
  const auto [stop, error] = std::from_chars(written.data(), end, longest);
  if (written.empty()) return 0;
  if (error != std::errc() || stop != end || longest < 1) {
    throw DataError("{}: its metadata say \"{}\" of the longest text; it takes a number of tokens",
                    weights().string(), written);
  }
  return longest;
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
  for (const std::string& one : kind->files) {
    if (std::filesystem::exists(path / one, ignored)) continue;
    // Weights that were put into the folder of another kind of model.
    for (const ModelKind& other : kinds()) {
      const bool whole = std::ranges::all_of(other.files, [&](const std::string& file) {
        return std::filesystem::exists(path / file, ignored);
      });
      const bool own = std::ranges::any_of(other.files, [&](const std::string& file) {
        return std::ranges::count(kind->files, file) == 0;
      });
      if (!whole || !own) continue;
      throw DataError(
          "{}: the weights of a {}, and the other files of the folder are those of a {} ({} is "
          "missing, {} is there); put back the weights that belong to them",
          weights().string(), kind->noun, other.noun, one, join(other.files, ", "));
    }
    require(path / one);
  }
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
  std::set<std::filesystem::path> files = {weights(), config(), card(), curve(),
                                           path / "curve.svg"};
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
  const ModelKind& found = kind();
  if (found.name != wanted) {
    throw DataError("{}: this is a {}, not a {}: use {}", path.string(), found.noun,
                    kind_called(wanted).noun, found.verb);
  }
  check_config(found);
  check_seal(*this, found, SafetensorsFile(weights()).metadata());
}

void ModelFolder::check_config(const ModelKind& found) const {
  const auto reads = [this](const ModelKind& one) { read_config(one.options()->list); };
  try {
    reads(found);
  } catch (const DataError&) {
    for (const ModelKind& other : kinds()) {
      try {
        reads(other);
      } catch (const DataError&) {
        continue;
      }
      throw DataError(
          "{}: the weights of a {}, and {} is of a {}; put back the weights that belong to it",
          weights().string(), found.noun, config().filename().string(), other.noun);
    }
    throw;
  }
}

}  // namespace heed::pipeline
