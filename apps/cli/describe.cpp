// SPDX-License-Identifier: Apache-2.0
// `heed describe`: the parts of a model or of a mechanism, what they hold and what they cost.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/output_files.h"
#include "cli/verb.h"
#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/insight/describe/description_svg.h"
#include "heed/insight/describe/mechanism_description.h"
#include "heed/pipeline/model_facts.h"
#include "heed/pipeline/model_kind.h"
#include "heed/pipeline/recipe.h"

namespace heed::cli {
namespace {

using nlohmann::json;

struct DescribeVerb {
  std::string what;
  std::string svg;
  std::string task;
  bool json = false;
  int depth = 0;
  std::int64_t width = 64;
  std::int64_t heads = 1;
  OutputFiles files;
  Options list;

  DescribeVerb() {
    list.add("svg", svg, "draw it to this file");
    list.add("json", json, "print JSON");
    list.add("depth", depth, "levels of parts to show; 0: all").range(0, 100);
    list.add("task", task,
             "task of a config file that is not a recipe, or of a preset that several tasks have; "
             "empty: that of "
             "the config's model folder, or the first that fits of " +
                 join(pipeline::kind_names(), ", "));
    list.add("width", width, "width of the queries, keys and values of a mechanism")
        .range(1, 65536);
    list.add("heads", heads, "heads of a mechanism").range(1, 65536);
    files.declare(list);
  }
};

insight::Description described_mechanism(const DescribeVerb& verb) {
  try {
    return insight::describe_mechanism(verb.what, {.query_width = verb.width,
                                                   .key_width = verb.width,
                                                   .value_width = verb.width,
                                                   .heads = verb.heads,
                                                   .key_heads = verb.heads});
  } catch (const UsageError& error) {
    const bool one_word = verb.what.find_first_of(" |+()") == std::string::npos;
    if (!one_word) throw;
    throw UsageError("\"{}\" is not a model folder, config, preset or mechanism; {}", verb.what,
                     error.what());
  }
}

insight::Description described(const DescribeVerb& verb) {
  const std::filesystem::path path(verb.what);
  if (std::filesystem::is_directory(path)) {
    return insight::describe(pipeline::facts_of_folder(path));
  }
  if (path.extension() == ".toml") {
    const auto recipe = pipeline::find_recipe_table(path);
    if (recipe && recipe->task.empty()) {
      throw UsageError(
          "{}: this recipe trains no model that could be described; `heed recipes "
          "check {}` runs it",
          path.string(), recipe->name);
    }
    return insight::describe(pipeline::facts_of_config(path, recipe ? recipe->task : verb.task));
  }
  if (const auto preset = pipeline::facts_of_preset(verb.what, verb.task)) {
    return insight::describe(*preset);
  }
  if (!verb.task.empty()) {
    const std::vector<std::string> presets =
        pipeline::preset_names(pipeline::kind_called(verb.task).presets());
    throw UsageError(
        "--task {}: \"{}\" is neither a config (.toml) nor one of its presets{}; there are {}",
        verb.task, verb.what, did_you_mean(verb.what, presets), join(presets, ", "));
  }
  if (std::filesystem::exists(path)) {
    throw DataError("{}: a file, and neither a model folder nor a config, whose name ends in .toml",
                    verb.what);
  }
  if (verb.what.find('/') != std::string::npos) {
    throw DataError("{}: there is no such model folder", verb.what);
  }
  return described_mechanism(verb);
}

json to_json(const insight::Part& part) {
  json parts = json::array();
  for (const insight::Part& inner : part.parts) parts.push_back(to_json(inner));
  return {{"name", part.name},     {"note", part.note},
          {"shape", part.shape},   {"parameters", part.parameters},
          {"flops", part.flops},   {"trained", part.trained},
          {"copies", part.copies}, {"parts", parts}};
}

json to_json(const insight::Description& description) {
  const insight::Cost& cost = description.cost;
  return {
      {"title", description.title},          {"parameters", cost.parameters},
      {"weight_bytes", cost.weight_bytes},   {"flops_per_token", cost.flops_per_token},
      {"flops_per_key", cost.flops_per_key}, {"cache_bytes_per_token", cost.cache_bytes_per_token},
      {"state_bytes", cost.state_bytes},     {"parts", to_json(description.root)["parts"]}};
}

void run(DescribeVerb& verb) {
  verb.files.reads({verb.what});
  verb.files.check(verb.svg);
  const insight::Description description = described(verb);
  if (!verb.svg.empty()) verb.files.write(verb.svg, insight::description_svg(description));
  if (verb.json) {
    fmt::print("{}\n", to_json(description).dump(2));
  } else {
    fmt::print("{}", insight::to_text(description, verb.depth));
  }
}

Action set_up(CommandLine& line) {
  auto verb = std::make_shared<DescribeVerb>();
  line.add("MODEL", verb->what,
           "a model folder, a config or recipe, a preset, or a mechanism's written form")
      .required()
      .kind("");
  return line.with_options(verb->list, [verb] { run(*verb); });
}

const ListedVerb kListed(
    {.name = "describe",
     .summary = "Show the parts of a model or a mechanism, their sizes and costs",
     .description = "The tree of parts with shapes, parameters that add up to the file, the three "
                    "attentions of a Transformer by name, and memory and flops per token.",
     .example =
         "heed describe models/en-fr --svg model.svg\nheed describe transformer-tiny --depth "
         "3\nheed describe \"additive | causal | sparsemax\" --width 64",
     .setup = set_up});

}  // namespace
}  // namespace heed::cli
