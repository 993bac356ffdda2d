// SPDX-License-Identifier: Apache-2.0
// Keys with their defaults.
#include "heed/pipeline/foreign/foreign_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "heed/base/file.h"

namespace heed::pipeline {
namespace {

constexpr std::int64_t kMostSize = 1 << 24;
constexpr std::int64_t kMostToken = 10'000'000;

}  // namespace

ForeignConfig::ForeignConfig(const std::filesystem::path& path) : path_(path.string()) {
  json_ = Json::parse(read_file(path), path_);
  root().object();
}

std::int64_t ForeignConfig::size(std::string_view key,
                                 std::optional<std::int64_t> otherwise) const {
  const auto found = find(key);
  if (!found && otherwise) return *otherwise;
  if (!found) root().fail("\"{}\" is missing", key);
  return found->whole(1, kMostSize);
}

std::optional<std::int64_t> ForeignConfig::token(std::string_view key) const {
  const auto found = find(key);
  if (!found) return std::nullopt;
  if (!found->is_list()) return found->whole(0, kMostToken);
  if (found->list().empty()) return std::nullopt;
  return found->at(std::size_t{0}).whole(0, kMostToken);
}

double ForeignConfig::number(std::string_view key, double otherwise) const {
  const auto found = find(key);
  return found ? found->number() : otherwise;
}

bool ForeignConfig::truth(std::string_view key, bool otherwise) const {
  const auto found = find(key);
  return found ? found->truth() : otherwise;
}

std::string ForeignConfig::text(std::string_view key, const std::string& otherwise) const {
  const auto found = find(key);
  return found ? found->text() : otherwise;
}

void ForeignConfig::require(std::string_view key, bool wanted, std::string_view why) const {
  const auto found = find(key);
  if (found && found->truth() != wanted) {
    found->fail("{}; Heed reads {} here: {}", !wanted, wanted, why);
  }
}

void ForeignConfig::require_text(std::string_view key, std::string_view wanted,
                                 std::string_view why) const {
  const auto found = find(key);
  if (found && found->text() != wanted) {
    found->fail("\"{}\"; Heed reads \"{}\" here: {}", found->text(), wanted, why);
  }
}

std::string ForeignConfig::activation(std::string_view key, const std::string& otherwise) const {
  static const std::map<std::string, std::string> kNames = {
      {"gelu", "gelu"},           {"gelu_new", "gelu_tanh"}, {"gelu_pytorch_tanh", "gelu_tanh"},
      {"gelu_fast", "gelu_tanh"}, {"silu", "swish"},         {"swish", "swish"},
      {"relu", "relu"},           {"tanh", "tanh"}};
  const std::string name = text(key, otherwise);
  const auto found = kNames.find(name);
  if (found != kNames.end()) return found->second;
  root().fail(
      "{} \"{}\"; Heed knows gelu, gelu_new, gelu_pytorch_tanh, gelu_fast, silu, swish, relu and "
      "tanh",
      key, name);
}

std::vector<std::string> ForeignConfig::labels() const {
  const auto names = find("id2label");
  std::vector<std::string> labels;
  if (!names) {
    const std::int64_t count = size("num_labels", 2);
    for (std::int64_t i = 0; i < count; ++i) labels.push_back(fmt::format("LABEL_{}", i));
  } else {
    for (std::size_t i = 0; i < names->object().size(); ++i) {
      const JsonPlace name = names->at(std::to_string(i));
      std::string label = name.text();
      if (label.empty() || label.find_first_of("\t\n\r") != std::string::npos) {
        name.fail("\"{}\"; a class takes a name without tabs and line breaks", label);
      }
      if (std::ranges::count(labels, label) > 0) label += fmt::format(" ({})", i);
      if (std::ranges::count(labels, label) > 0) name.fail("\"{}\"; it comes again", label);
      labels.push_back(std::move(label));
    }
  }
  if (labels.size() == 1) {
    root().fail("one label: this model gives a number, and Heed's classifiers tell classes apart");
  }
  if (labels.empty()) names->fail("no class; it takes two or more");
  return labels;
}

std::string ForeignConfig::architecture() const {
  return root().at("architectures").at(std::size_t{0}).text();
}

}  // namespace heed::pipeline
