// SPDX-License-Identifier: Apache-2.0
// Files are compared by fingerprints, the config option by option: a difference there has a name.
#include "heed/pipeline/folder_seal.h"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/text.h"
#include "heed/base/warning.h"
#include "heed/text/fingerprint.h"
#include "heed/training/config_check.h"

namespace heed::pipeline {
namespace {

constexpr const char* kConfig = "config";
constexpr const char* kSealedFile = "file ";
constexpr std::size_t kShownDifferences = 8;

// The lines `NAME = VALUE` of a config that make the model what it is; how it was trained may be
// told in another way, and gives the same bytes.
std::string kept_lines(const std::string& config, const ModelKind* kind) {
  const std::vector<std::string> names =
      kind == nullptr ? std::vector<std::string>() : kind->shaping_options();
  std::string kept;
  for (const std::string_view line : split(config, '\n')) {
    const std::string_view name = trim(line.substr(0, line.find('=')));
    if (name.find("dropout") != name.npos || std::ranges::count(names, name) == 0) continue;
    kept += fmt::format("{}\n", line);
  }
  return kept;
}

std::string fingerprint_of(const std::filesystem::path& file) {
  return text::fingerprint(file, text::FingerprintOf::whole).to_string();
}

std::vector<std::string> files_of(const ModelKind& kind) {
  std::vector<std::string> files = kind.files;
  files.insert(files.end(), kind.files_of_some.begin(), kind.files_of_some.end());
  return files;
}

}  // namespace

Metadata seal_of(const ModelFolder& folder, const ModelKind* kind) {
  Metadata seal;
  std::error_code ignored;
  if (std::filesystem::exists(folder.config(), ignored)) {
    seal[kConfig] = kept_lines(read_file(folder.config()), kind);
  }
  for (const std::string& file : kind == nullptr ? std::vector<std::string>() : files_of(*kind)) {
    if (std::filesystem::exists(folder.file(file), ignored)) {
      seal[kSealedFile + file] = fingerprint_of(folder.file(file));
    }
  }
  return seal;
}

void check_seal(const ModelFolder& folder, const ModelKind& kind, const Metadata& metadata) {
  const auto config = metadata.find(kConfig);
  if (config == metadata.end()) {
    warn(fmt::format(
        "{}: was written by an older heed, which did not note which files belong together; a "
        "vocabulary or config of another model would not be noticed",
        folder.path.string()));
    return;
  }
  std::vector<std::string> foreign;
  std::size_t sealed = 0;
  for (const std::string& file : files_of(kind)) {
    const auto found = metadata.find(kSealedFile + file);
    if (found == metadata.end()) continue;
    ++sealed;
    std::error_code ignored;
    if (!std::filesystem::exists(folder.file(file), ignored)) {
      throw DataError("{}: {} is missing, which these weights were trained with; put the file back",
                      folder.path.string(), file);
    }
    if (fingerprint_of(folder.file(file)) != found->second) foreign.push_back(file);
  }
  const auto differences = training::config_differences(
      kept_lines(config->second, &kind), kept_lines(read_file(folder.config()), &kind), {});
  const std::string weights = folder.weights().filename().string();
  if (!differences.empty() && !foreign.empty() && foreign.size() == sealed) {
    throw DataError(
        "{}: does not belong to this folder: neither {} nor {} is the file that it was trained "
        "with; put back the weights of this model, or all files of the other",
        folder.weights().string(), join(foreign, " nor "), folder.config().filename().string());
  }
  if (!foreign.empty()) {
    throw DataError(
        "{}: is not the file these weights were trained with: {} notes {}, and this is {}; put "
        "back the file of that training",
        folder.file(foreign.front()).string(), weights, metadata.at(kSealedFile + foreign.front()),
        fingerprint_of(folder.file(foreign.front())));
  }
  if (!differences.empty()) {
    throw DataError(
        "{}: is not the config these weights were trained with; set back what differs, or put back "
        "the file of that training:\n{}",
        folder.config().string(),
        training::difference_lines(
            std::span(differences)
                .first(std::min<std::size_t>(differences.size(), kShownDifferences))) +
            (differences.size() > kShownDifferences
                 ? fmt::format("\n  and {} more", differences.size() - kShownDifferences)
                 : ""));
  }
}

}  // namespace heed::pipeline
