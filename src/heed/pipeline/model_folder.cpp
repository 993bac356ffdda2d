// SPDX-License-Identifier: Apache-2.0
// Reading trusts nothing: the format is checked before the config, the config before the weights.
#include "heed/pipeline/model_folder.h"

#include "heed/base/error.h"
#include "heed/base/safetensors.h"

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
  if (!std::filesystem::is_directory(path)) {
    throw DataError("{}: there is no such folder; give one that `heed train` has written",
                    path.string());
  }
  const auto require = [this](const std::filesystem::path& file) {
    if (std::filesystem::exists(file)) return;
    throw DataError("{}: {} is missing, so this is no whole model folder{}", path.string(),
                    file.filename().string(),
                    std::filesystem::exists(path / "checkpoints")
                        ? "; its training has not saved a model yet: run it again to go on"
                        : "");
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
  return task;
}

void ModelFolder::check(const std::string& wanted) const {
  if (const std::string found = task(); found != wanted) {
    throw DataError("{}: a model for the task \"{}\", not for \"{}\"", path.string(), found,
                    wanted);
  }
}

}  // namespace heed::pipeline
