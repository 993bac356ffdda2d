// SPDX-License-Identifier: Apache-2.0
// Reading trusts nothing: the format is checked before the config, the config before the weights.
#include "heed/pipeline/model_folder.h"

#include <system_error>
#include <vector>

#include "heed/base/error.h"
#include "heed/base/safetensors.h"
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

void ModelFolder::save_weights(const nn::Parameters& parameters, const std::string& task) const {
  nn::save(parameters, weights().string(),
           {{"heed", HEED_VERSION}, {"format", kFormat}, {"task", task}});
}

void ModelFolder::load_weights(nn::Parameters& parameters) const {
  nn::load(parameters, weights().string());
}

std::string ModelFolder::task() const {
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
  std::string task = value_of(file.metadata(), "task");
  require(task == "translate" ? source_tokeniser() : tokeniser());
  if (task == "classify") require(labels());
  return task;
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

std::string ModelFolder::kept_task() const {
  std::error_code ignored;
  if (std::filesystem::exists(weights(), ignored)) {
    try {
      return value_of(SafetensorsFile(weights()).metadata(), "task");
    } catch (const DataError&) {
      // Damaged weights say nothing; checkpoints may still be whole.
    }
  }
  if (training::checkpoint_files(path / "checkpoints").empty()) return {};
  if (std::filesystem::exists(labels(), ignored)) return "classify";
  if (std::filesystem::exists(source_tokeniser(), ignored)) return "translate";
  return {};
}

void ModelFolder::remove_other_task(const std::string& task) const {
  const std::string kept = kept_task();
  if (kept.empty() || kept == task) return;
  std::vector<std::filesystem::path> files = {weights(), config(), card(), path / "curve.svg"};
  if (task != "classify") files.push_back(labels());
  if (task == "translate") {
    files.push_back(tokeniser());
  } else {
    files.push_back(source_tokeniser());
    files.push_back(target_tokeniser());
  }
  for (const std::filesystem::path& file : files) {
    std::error_code error;
    std::filesystem::remove(file, error);
    if (error) throw DataError("{}: cannot be removed: {}", file.string(), error.message());
  }
}

void ModelFolder::check(const std::string& wanted) const {
  if (const std::string found = task(); found != wanted) {
    throw DataError("{}: a model for the task \"{}\", not for \"{}\"", path.string(), found,
                    wanted);
  }
}

}  // namespace heed::pipeline
