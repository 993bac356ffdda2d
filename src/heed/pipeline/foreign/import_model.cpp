// SPDX-License-Identifier: Apache-2.0
// Plans, checks every name and shape, and only then reads: one tensor at a time into the model.
#include "heed/pipeline/foreign/import_model.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <set>
#include <system_error>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/sha256.h"
#include "heed/base/text.h"
#include "heed/nn/initialisers.h"
#include "heed/pipeline/foreign/import_plan.h"
#include "heed/pipeline/model_folder.h"
#include "heed/pipeline/model_kind.h"
#include "heed/pipeline/train.h"

namespace heed::pipeline {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostListed = 20;

std::string listed(const std::vector<std::string>& problems) {
  std::string text;
  for (std::size_t i = 0; i < std::min(problems.size(), kMostListed); ++i) {
    text += "\n  " + problems[i];
  }
  if (problems.size() > kMostListed) {
    text += fmt::format("\n  and {} more", problems.size() - kMostListed);
  }
  return text;
}

const Importer& importer_for(const ForeignFolder& folder, const std::string& task) {
  const std::string architecture = folder.config.architecture();
  std::vector<std::string> tasks;
  for (const Importer& importer : importers()) {
    if (std::ranges::count(importer.architectures, architecture) == 0) continue;
    if (task.empty() ? !importer.asked : importer.kind == task) return importer;
    tasks.push_back(importer.kind);
  }
  if (!tasks.empty()) {
    throw UsageError("--task {}: a {} becomes a model for {}", task, architecture,
                     join(tasks, ", "));
  }
  std::set<std::string> known;
  for (const auto& [name, kind] : importable()) known.insert(name);
  folder.config.root().fail("architectures \"{}\"; Heed imports {}", architecture,
                            join(std::vector<std::string>(known.begin(), known.end()), ", "));
}

// Names and shapes, before anything is read or any room is taken.
void check_tensors(const ForeignFolder& folder, const ImportPlan& plan) {
  std::vector<std::string> problems;
  std::set<std::string> used;
  for (const TensorRecipe& recipe : plan.recipes.all()) {
    if (recipe.tensor.empty() || !used.insert(recipe.tensor).second) continue;
    const ForeignTensor* tensor = folder.weights.find(recipe.tensor);
    if (tensor == nullptr) {
      problems.push_back(fmt::format("{} is missing, {}", recipe.tensor, shape_text(recipe.shape)));
    } else if (tensor->shape != recipe.shape) {
      problems.push_back(fmt::format("{} is {}; the config asks for {}", tensor->stored_name,
                                     shape_text(tensor->shape), shape_text(recipe.shape)));
    } else if (!is_floating(tensor->dtype) || tensor->dtype == DType::kF64) {
      problems.push_back(fmt::format("{} holds {}; weights are F32, F16 or BF16",
                                     tensor->stored_name, dtype_name(tensor->dtype)));
    }
  }
  for (const auto& [name, tensor] : folder.weights.tensors()) {
    if (used.contains(name) || plan.recipes.dropped().contains(name)) continue;
    problems.push_back(fmt::format("{} {} is no part of such a model", tensor.stored_name,
                                   shape_text(tensor.shape)));
  }
  if (problems.empty()) return;
  throw DataError(
      "{}: the weights do not fit the config:{}\nfetch the folder again, or the "
      "config.json of these weights",
      folder.path.string(), listed(problems));
}

void fill_parameters(const ForeignFolder& folder, const ImportPlan& plan,
                     nn::Parameters& parameters) {
  std::map<std::string, const TensorRecipe*> recipes;
  for (const TensorRecipe& recipe : plan.recipes.all()) {
    if (!recipes.emplace(recipe.parameter, &recipe).second) {
      throw InternalError("import: two recipes for {}", recipe.parameter);
    }
  }
  std::vector<std::string> problems;
  for (const nn::Parameter& parameter : parameters) {
    if (!recipes.contains(parameter.name)) {
      problems.push_back(fmt::format("{} has no recipe", parameter.name));
    }
  }
  if (problems.empty() && recipes.size() != parameters.size()) {
    std::set<std::string> names;
    for (const nn::Parameter& parameter : parameters) names.insert(parameter.name);
    for (const auto& [name, recipe] : recipes) {
      if (!names.contains(name)) problems.push_back(fmt::format("{} is no parameter", name));
    }
  }
  if (!problems.empty()) {
    throw InternalError("import of a {}:{}", folder.config.architecture(), listed(problems));
  }
  for (nn::Parameter& parameter : parameters) {
    const TensorRecipe& recipe = *recipes.at(parameter.name);
    std::vector<Real> values;
    if (!recipe.tensor.empty()) {
      const ForeignTensor& tensor = *folder.weights.find(recipe.tensor);
      values.resize(tensor.count);
      tensor.read(values);
    }
    Tensor& made = parameter.variable.mutable_value();
    recipe.convert(values, {made.mutable_data(), static_cast<std::size_t>(made.size())});
  }
}

// The licence that README.md names in its front matter; empty where it names none.
std::string licence_of(const fs::path& folder) {
  std::error_code ignored;
  const fs::path readme = folder / "README.md";
  if (!fs::exists(readme, ignored)) return {};
  const std::string text = read_file(readme);
  bool front = false;
  for (const std::string_view line : split(text, '\n')) {
    if (trim(line) == "---") {
      if (front) break;
      front = true;
    } else if (front && line.starts_with("license:")) {
      return shorten(trim(line.substr(8)), 80);
    }
  }
  return {};
}

std::string card(const ForeignFolder& folder, const ImportPlan& plan, const ModelKind& kind,
                 const ImportReport& report, const fs::path& to) {
  std::string text = fmt::format(
      "# {}\n\nA {} of the family {}, imported by heed {} from {}.\n\n| | |\n|---|---|\n",
      to.filename().string(), kind.noun, report.family, HEED_VERSION,
      fs::absolute(folder.path).lexically_normal().filename().string());
  const std::string licence = licence_of(folder.path);
  text += fmt::format("| architecture | {} |\n", folder.config.architecture());
  text += fmt::format("| licence | {} |\n",
                      licence.empty() ? "its README.md names none: ask its authors" : licence);
  text += fmt::format("| parameters | {} |\n| tokens | {} |\n", report.parameters, report.tokens);
  for (const fs::path& file : folder.weights.files()) {
    const MappedFile bytes(file);
    text +=
        fmt::format("| SHA-256 of {} | {} |\n", file.filename().string(), sha256(bytes.bytes()));
  }
  text += fmt::format("\n{} tensors used", report.used);
  for (const auto& [name, reason] : report.dropped) text += fmt::format("; {}: {}", name, reason);
  text += ".\n";
  for (const std::string& warning : plan.warnings) text += fmt::format("\nNote: {}.\n", warning);
  return text + fmt::format("\nUse it:\n\n    {}\n", kind.use_of(to.string()));
}

// A folder beside the one that is wished for, which takes its name when it is whole.
class NewFolder {
 public:
  explicit NewFolder(const fs::path& wished)
      : wished_(wished), made_(wished.string() + fmt::format(".importing-{}", ::getpid())) {
    std::error_code ignored;
    if (fs::exists(wished_, ignored)) {
      throw UsageError("--out {}: it is there already; give a name that is free, or remove it",
                       wished_.string());
    }
    make_folder(made_);
  }
  ~NewFolder() {
    std::error_code ignored;
    if (!kept_) fs::remove_all(made_, ignored);
  }
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;

  const fs::path& path() const { return made_; }
  void keep() {
    std::error_code error;
    fs::rename(made_, wished_, error);
    if (error) throw DataError("{}: cannot be made: {}", wished_.string(), error.message());
    kept_ = true;
  }

 private:
  fs::path wished_, made_;
  bool kept_ = false;
};

}  // namespace

std::vector<std::pair<std::string, std::string>> importable() {
  std::vector<std::pair<std::string, std::string>> all;
  for (const Importer& importer : importers()) {
    for (const std::string& architecture : importer.architectures) {
      all.emplace_back(architecture, importer.kind);
    }
  }
  std::ranges::sort(all);
  return all;
}

ImportReport import_model(const ImportOptions& options, const Print& print) {
  const auto tell = [&](const std::string& line) {
    if (print) print(line);
  };
  fs::path to = options.to;
  if (!to.has_filename()) to = to.parent_path();  // written with a slash behind
  if (to.empty()) throw UsageError("--out: say which folder the model becomes");
  ForeignFolder folder(options.from);
  const Importer& importer = importer_for(folder, options.task);
  const ModelKind& kind = kind_called(importer.kind);
  if (options.second && !importer.pairs) {
    throw UsageError("--second: a {} reads one text; leave it out", kind.noun);
  }
  folder.second = options.second;
  ImportPlan plan = importer.plan(folder);
  check_tensors(folder, plan);

  const std::unique_ptr<KindOptions> made = kind.options();
  nn::Parameters parameters;
  try {
    made->list.read_toml_text(plan.options, (folder.path / "config.json").string());
    const nn::ZeroWeights until_they_are_read;
    Random random(0);
    parameters = plan.parameters ? plan.parameters(*made) : made->sketch(random, plan.tokens);
  } catch (const UsageError& error) {
    throw DataError("{}: {}", (folder.path / "config.json").string(), error.what());
  }
  tell(fmt::format("{} of the family {}: {} parameters", kind.noun, plan.family,
                   nn::parameter_count(parameters)));
  fill_parameters(folder, plan, parameters);

  ImportReport report{.kind = kind.name,
                      .family = plan.family,
                      .parameters = nn::parameter_count(parameters),
                      .tokens = plan.tokens,
                      .dropped = plan.recipes.dropped(),
                      .warnings = plan.warnings,
                      .use = kind.use_of(to.string())};
  std::set<std::string> used;
  for (const TensorRecipe& recipe : plan.recipes.all()) used.insert(recipe.tensor);
  used.erase("");
  report.used = used.size();

  NewFolder fresh(to);
  const ModelFolder model{fresh.path()};
  for (auto& [file, vocabulary] : plan.vocabularies) {
    text::foreign_tokeniser(std::move(vocabulary), file)->save(model.file(file));
  }
  for (const auto& [file, text] : plan.texts) write_atomically(model.file(file), text);
  write_atomically(model.config(), made->list.to_toml());
  write_atomically(model.card(), card(folder, plan, kind, report, to));
  model.save_weights(parameters, kind.name);
  fresh.keep();
  for (const auto& [name, reason] : report.dropped)
    tell(fmt::format("left out {}: {}", name, reason));
  for (const std::string& warning : report.warnings) tell(warning);
  return report;
}

}  // namespace heed::pipeline
