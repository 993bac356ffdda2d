// SPDX-License-Identifier: Apache-2.0
// One row per task: its presets, and the parameters that its options make.
#include "heed/pipeline/model_facts.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <span>

#include "heed/base/error.h"
#include "heed/base/safetensors.h"
#include "heed/base/text.h"
#include "heed/models/classifier.h"
#include "heed/models/masked_model.h"
#include "heed/pipeline/classify/classify_options.h"
#include "heed/pipeline/language/language_options.h"
#include "heed/pipeline/masked/masked_options.h"
#include "heed/pipeline/model_folder.h"
#include "heed/pipeline/translate/translation_options.h"

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

// The model that `make` makes of a task's options and random numbers.
template <typename TaskOptions, typename Make>
insight::ModelFacts facts_with(const Change& change, const Make& make) {
  TaskOptions options;
  change(options.list);
  options.apply_preset();
  Random random(1);
  const auto model = make(options, random);
  return {.options = values_of(options.list),
          .parameters = insight::shapes_of(nn::parameters(*model))};
}

insight::ModelFacts facts_of_translation(const Change& change) {
  return facts_with<TranslationOptions>(change, [](const auto& options, Random& random) {
    const std::int64_t size = options.vocabulary.size;
    return make_model(options.model, {.source = size, .target = size}, random);
  });
}

insight::ModelFacts facts_of_language(const Change& change) {
  return facts_with<LanguageOptions>(change, [](const auto& options, Random& random) {
    return make_language_model(options.model, options.vocabulary.size, random);
  });
}

insight::ModelFacts facts_of_classifier(const Change& change) {
  return facts_with<ClassifyOptions>(change, [](const auto& options, Random& random) {
    // Two classes for each aspect: how many there are only the data knows.
    text::Labels labels{std::span(options.aspects)};
    for (const char* label : {"one", "other"}) {
      labels.add(std::vector<std::string>(options.aspects.size(), label));
    }
    return std::make_unique<models::Classifier>(options.model(options.vocabulary.size, labels),
                                                random);
  });
}

insight::ModelFacts facts_of_masked(const Change& change) {
  return facts_with<MaskedOptions>(change, [](const auto& options, Random& random) {
    return std::make_unique<models::MaskedModel>(options.wish(options.vocabulary.size), random);
  });
}

struct DescribedTask {
  std::string_view name;
  std::span<const Preset> (*presets)();
  insight::ModelFacts (*facts)(const Change&);
};

constexpr DescribedTask kTasks[] = {{"translate", translation_presets, facts_of_translation},
                                    {"language", language_presets, facts_of_language},
                                    {"classify", classify_presets, facts_of_classifier},
                                    {"masked", masked_presets, facts_of_masked}};

const DescribedTask& task_called(const std::string& name) {
  const auto* const found = std::ranges::find(kTasks, name, &DescribedTask::name);
  if (found != std::end(kTasks)) return *found;
  const std::vector<std::string> names = described_tasks();
  throw UsageError("--task: no task is called \"{}\"{}; there are {}", name,
                   did_you_mean(name, names), join(names, ", "));
}

insight::ModelFacts facts_of(const DescribedTask& task, std::string title, const Change& change) {
  insight::ModelFacts facts = task.facts(change);
  facts.title = fmt::format("{}: {}", title, task.name);
  facts.task = task.name;
  return facts;
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
  facts.title = fmt::format("{}: {}", path.string(), facts.task);
  facts.options = written_values(read_file(folder.config()));
  std::vector<const TensorInfo*> tensors;
  for (const TensorInfo& tensor : file.tensors()) tensors.push_back(&tensor);
  // As they lie in the file, which is the order in which the model names them.
  std::ranges::sort(tensors, {}, &TensorInfo::offset);
  for (const TensorInfo* tensor : tensors) {
    facts.parameters.push_back({tensor->name, {tensor->shape.begin(), tensor->shape.end()}});
  }
  return facts;
}

std::vector<std::string> described_tasks() {
  std::vector<std::string> names;
  for (const DescribedTask& task : kTasks) names.emplace_back(task.name);
  return names;
}

std::vector<std::string> described_presets(const std::string& task) {
  return preset_names(task_called(task).presets());
}

insight::ModelFacts facts_of_config(const std::filesystem::path& config, const std::string& task) {
  const Change read = [&](Options& options) { options.read_toml(config); };
  const ModelFolder folder{config.parent_path()};
  if (!task.empty()) return facts_of(task_called(task), config.string(), read);
  if (std::filesystem::exists(folder.weights()) && std::filesystem::exists(config) &&
      std::filesystem::equivalent(config, folder.config())) {
    return facts_of(task_called(folder.task()), config.string(), read);
  }
  std::string problem;
  for (const DescribedTask& one : kTasks) {
    try {
      return facts_of(one, config.string(), read);
    } catch (const UsageError& error) {
      if (problem.empty()) problem = error.what();
    }
  }
  throw UsageError(
      "{}; it was read as a config of the task {}, and no other fits: name its own "
      "with --task",
      problem, kTasks[0].name);
}

std::optional<insight::ModelFacts> facts_of_preset(const std::string& name,
                                                   const std::string& wanted) {
  for (const DescribedTask& task : kTasks) {
    if (!wanted.empty() && wanted != task.name) continue;
    if (std::ranges::count(task.presets(), name, &Preset::name) == 0) continue;
    const std::vector<std::string> words = {name};
    return facts_of(task, "preset " + name, [&](Options& list) { list.set("preset", words); });
  }
  return {};
}

}  // namespace heed::pipeline
