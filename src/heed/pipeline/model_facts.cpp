// SPDX-License-Identifier: Apache-2.0
// Facts from files, and from the model that a kind makes of options alone.
#include "heed/pipeline/model_facts.h"

#include <algorithm>
#include <functional>
#include <memory>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/safetensors.h"
#include "heed/base/text.h"
#include "heed/nn/initialisers.h"
#include "heed/pipeline/model_folder.h"
#include "heed/pipeline/model_kind.h"
#include "heed/pipeline/train.h"

namespace heed::pipeline {
namespace {

std::map<std::string, std::string> values_of(const Options& options) {
  std::map<std::string, std::string> values;
  for (const Option& option : options.all()) {
    std::string text = option.value_text();
    if (text.size() >= 2 && text.starts_with('"')) text = text.substr(1, text.size() - 2);
    values[option.name()] = std::move(text);
  }
  return values;
}

using Change = std::function<void(Options&)>;

// The model that a kind makes of its options, once `change` has set some.
insight::ModelFacts facts_of(const ModelKind& kind, std::string title, const Change& change) {
  const std::unique_ptr<KindOptions> options = kind.options();
  change(options->list);
  options->apply_preset();
  Random random(1);
  const nn::ZeroWeights shapes_alone;
  const nn::Parameters parameters = options->sketch(random);
  return {.title = fmt::format("{}: {}", title, kind.name),
          .task = kind.name,
          .notes = kind.notes,
          .options = values_of(options->list),
          .parameters = insight::shapes_of(parameters)};
}

// `key = value` lines of a config that this program wrote; strings without their quotes.
std::map<std::string, std::string> written_values(const std::string& config) {
  std::map<std::string, std::string> values;
  for (std::string_view line : split(config, '\n')) {
    line = trim(line);
    const std::size_t equals = line.find('=');
    if (line.starts_with('#') || equals == std::string_view::npos) continue;
    std::string_view value = trim(line.substr(equals + 1));
    if (value.size() >= 2 && value.starts_with('"')) value = value.substr(1, value.size() - 2);
    values.emplace(trim(line.substr(0, equals)), value);
  }
  return values;
}

}  // namespace

insight::ModelFacts facts_of_folder(const std::filesystem::path& path) {
  const ModelFolder folder{path};
  for (const auto& file : {folder.weights(), folder.config()}) {
    if (std::filesystem::exists(file)) continue;
    throw DataError("{}: {} is missing, so this is not a whole model folder", path.string(),
                    file.filename().string());
  }
  const SafetensorsFile file(folder.weights());
  const auto task = file.metadata().find("task");
  insight::ModelFacts facts{.task = task != file.metadata().end() ? task->second : std::string()};
  if (const ModelKind* kind = find_kind(facts.task)) facts.notes = kind->notes;
  facts.title = fmt::format("{}: {}", path.string(), facts.task);
  facts.options = written_values(read_file(folder.config()));
  std::vector<const TensorInfo*> tensors;
  for (const TensorInfo& tensor : file.tensors()) tensors.push_back(&tensor);
  // As they lie in the file, which is the order in which the model names them.
  std::ranges::sort(tensors, {}, &TensorInfo::offset);
  for (const TensorInfo* tensor : tensors) {
    facts.parameters.push_back({tensor->name, {tensor->shape.begin(), tensor->shape.end()}});
  }
  facts.learnt = insight::learnt_heads(facts, [&](const std::string& path) {
    const auto found = std::ranges::find(tensors, path, &TensorInfo::name);
    return found == tensors.end() ? std::vector<double>() : file.read<double>(**found);
  });
  return facts;
}

insight::ModelFacts facts_of_config(const std::filesystem::path& config, const std::string& kind) {
  const Change read = [&](Options& options) { options.read_toml(config); };
  const ModelFolder folder{config.parent_path()};
  if (!kind.empty()) return facts_of(kind_called(kind), config.string(), read);
  if (std::filesystem::exists(folder.weights()) && std::filesystem::exists(config) &&
      std::filesystem::equivalent(config, folder.config())) {
    return facts_of(folder.kind(), config.string(), read);
  }
  std::string problem;
  for (const ModelKind& one : kinds()) {
    try {
      return facts_of(one, config.string(), read);
    } catch (const UsageError& error) {
      if (problem.empty()) problem = error.what();
    }
  }
  throw UsageError(
      "{}; it was read as a config of the task {}, and no other fits: name its own "
      "with --task",
      problem, kinds().front().name);
}

std::optional<insight::ModelFacts> facts_of_preset(const std::string& name,
                                                   const std::string& wanted) {
  for (const ModelKind& kind : kinds()) {
    if (!wanted.empty() && wanted != kind.name) continue;
    if (std::ranges::count(kind.presets(), name, &Preset::name) == 0) continue;
    const std::vector<std::string> words = {name};
    return facts_of(kind, "preset " + name, [&](Options& list) { list.set("preset", words); });
  }
  return {};
}

}  // namespace heed::pipeline
