// SPDX-License-Identifier: Apache-2.0
// Reading the table, key by key.
#include "heed/pipeline/recipe.h"

#include <toml++/toml.h>

#include <algorithm>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/text.h"

namespace heed::pipeline {
namespace {

const std::vector<std::string>& recipe_keys() {
  static const std::vector<std::string> keys = {"title",    "task",    "folder",  "data",   "fetch",
                                                "files",    "steps",   "test",    "metric", "value",
                                                "at-least", "at-most", "minutes", "variant"};
  return keys;
}

const std::vector<std::string>& variant_keys() {
  static const std::vector<std::string> keys = {"name", "options", "at-least", "at-most"};
  return keys;
}

// The table with the place of its file for messages.
class RecipeTable {
 public:
  RecipeTable(const toml::table& table, std::string path) : table_(table), path_(std::move(path)) {}

  std::string place(const toml::node& node) const {
    return fmt::format("{}:{}", path_, node.source().begin.line);
  }

  void refuse_unknown_keys(std::string_view whose, const std::vector<std::string>& known) const {
    for (const auto& [key, node] : table_) {
      const std::string name(key.str());
      if (std::ranges::count(known, name) > 0) continue;
      throw UsageError("{}: {} has no key \"{}\"{}", place(node), whose, name,
                       did_you_mean(name, known));
    }
  }

  template <typename T>
  std::optional<T> get(std::string_view key, const char* wants) const {
    const toml::node* node = table_.get(key);
    if (node == nullptr) return {};
    std::optional<T> value = node->value<T>();
    if (!value) throw UsageError("{}: {} takes {}", place(*node), key, wants);
    return value;
  }

  std::string text(std::string_view key) const {
    return get<std::string>(key, "a text").value_or("");
  }

  std::string required(std::string_view key) const {
    std::string found = text(key);
    if (found.empty()) {
      throw UsageError("{}: the table [recipe] lacks {}, a text", place(table_), key);
    }
    return found;
  }

  std::vector<std::string> texts(std::string_view key) const {
    std::vector<std::string> found;
    const toml::node* node = table_.get(key);
    if (node == nullptr) return found;
    const toml::array* const array = node->as_array();
    if (array == nullptr) throw UsageError("{}: {} takes a list of texts", place(*node), key);
    for (const toml::node& item : *array) {
      const auto word = item.value<std::string>();
      if (!word) throw UsageError("{}: {} takes a list of texts", place(item), key);
      found.push_back(*word);
    }
    return found;
  }

  Band band() const {
    return {get<double>("at-least", "a number"), get<double>("at-most", "a number")};
  }

  const toml::table& table() const { return table_; }
  const std::string& path() const { return path_; }

 private:
  const toml::table& table_;
  std::string path_;
};

std::vector<RecipeVariant> variants_of(const RecipeTable& recipe) {
  std::vector<RecipeVariant> variants;
  const toml::node* node = recipe.table().get("variant");
  if (node == nullptr) return variants;
  const toml::array* const array = node->as_array();
  if (array == nullptr) {
    throw UsageError("{}: variants are written as [[recipe.variant]]", recipe.place(*node));
  }
  for (const toml::node& item : *array) {
    if (item.as_table() == nullptr) {
      throw UsageError("{}: a variant takes name and options", recipe.place(item));
    }
    const RecipeTable variant(*item.as_table(), recipe.path());
    variant.refuse_unknown_keys("a variant", variant_keys());
    variants.push_back({variant.required("name"), variant.texts("options"), variant.band()});
  }
  return variants;
}

Recipe recipe_of(const std::filesystem::path& path, const toml::table& table) {
  const RecipeTable keys(table, path.string());
  keys.refuse_unknown_keys("a recipe", recipe_keys());
  Recipe recipe{.name = path.stem().string(),
                .path = path,
                .title = keys.required("title"),
                .task = keys.text("task"),
                .folder = keys.text("folder"),
                .data = keys.text("data"),
                .fetch = keys.text("fetch"),
                .files = keys.texts("files"),
                .steps = keys.texts("steps"),
                .test = keys.texts("test"),
                .metric = keys.required("metric"),
                .value = keys.required("value"),
                .band = keys.band(),
                .minutes = keys.get<double>("minutes", "a number").value_or(0),
                .variants = variants_of(keys)};
  if (recipe.band.is_open()) {
    throw UsageError("{}: a recipe says at-least or at-most of its metric", keys.place(table));
  }
  if (recipe.task.empty()) {
    if (recipe.test.empty()) {
      throw UsageError("{}: the table [recipe] lacks task, what to train, or test, what to run",
                       keys.place(table));
    }
    if (!recipe.variants.empty()) {
      throw UsageError("{}: variants change a training, and this recipe has no task",
                       keys.place(table));
    }
    return recipe;
  }
  if (recipe.makes_its_data()) return recipe;
  if (recipe.folder.empty()) keys.required("folder");
  if (recipe.data.empty() == recipe.fetch.empty()) {
    throw UsageError(
        "{}: a recipe has either data, a command that makes it, or fetch, which says where it is",
        keys.place(table));
  }
  return recipe;
}

}  // namespace

bool Band::holds(double measured) const {
  return (!at_least || measured >= *at_least) && (!at_most || measured <= *at_most);
}

std::string Band::text() const {
  std::string text;
  if (at_least) text = fmt::format("at least {}", *at_least);
  if (at_most) text += fmt::format("{}at most {}", text.empty() ? "" : ", ", *at_most);
  return text;
}

std::optional<Recipe> find_recipe_table(const std::filesystem::path& path) {
  try {
    const toml::table config = toml::parse(read_file(path), path.string());
    const toml::table* const table = config["recipe"].as_table();
    if (table == nullptr) return {};
    return recipe_of(path, *table);
  } catch (const toml::parse_error& error) {
    const auto& where = error.source().begin;
    throw UsageError("{}:{}:{}: {}", path.string(), where.line, where.column, error.description());
  }
}

Recipe read_recipe(const std::filesystem::path& path) {
  std::optional<Recipe> recipe = find_recipe_table(path);
  if (!recipe) throw UsageError("{}: no recipe, it has no table [recipe]", path.string());
  return *std::move(recipe);
}

std::filesystem::path recipes_folder(const std::string& wish) {
  if (!wish.empty()) return wish;
  if (std::filesystem::is_directory("recipes")) return "recipes";
  std::error_code error;
  const auto folder = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  // Built in a clone, the program is in build/release; installed, in bin beside share.
  auto of_clone = folder.parent_path().parent_path() / "recipes";
  if (std::filesystem::is_directory(of_clone)) return of_clone;
  return folder.parent_path() / "share/heed/recipes";
}

std::vector<Recipe> read_recipes(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> paths;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".toml") paths.push_back(entry.path());
  }
  if (paths.empty()) {
    throw DataError(
        "{}: there are no recipes in it; go where the folder recipes is, or name it by --folder",
        folder.string());
  }
  std::ranges::sort(paths);
  std::vector<Recipe> recipes;
  for (const std::filesystem::path& path : paths) recipes.push_back(read_recipe(path));
  return recipes;
}

}  // namespace heed::pipeline
