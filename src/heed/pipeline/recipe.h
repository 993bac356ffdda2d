// SPDX-License-Identifier: Apache-2.0
// A recipe: a config file whose table [recipe] says where the data comes from, how the model is
// tested and which figure it must reach. docs/recipes.md describes its keys.
//
//   preset = "transformer-tiny"           # options of `heed train TASK`
//   train-source = "data/phrases/train.en"
//
//   [recipe]
//   title = "A small Transformer on built-in phrases"
//   task = "translate"
//   folder = "data/phrases"               # of the data; --data puts another in its place
//   data = "heed corpus phrases --out data/phrases"
//   test = ["heed translate --model MODEL ...", "heed evaluate ... --json"]
//   metric = "BLEU"
//   value = "/systems/0/bleu/score"       # where the last command's JSON has it
//   at-least = 80.0
//   minutes = 5
#pragma once  // public header

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#pragma GCC visibility push(default)  // exported

namespace heed::pipeline {

// Where a figure must lie; without either end, anywhere.
struct Band {
  std::optional<double> at_least = {};
  std::optional<double> at_most = {};

  bool is_open() const { return !at_least && !at_most; }
  bool holds(double measured) const;
  std::string text() const;  // "at least 80"
};

struct RecipeVariant {
  std::string name = {};
  std::vector<std::string> options = {};  // words of the command line that train it
  Band band = {};
};

struct Recipe {
  std::string name = {};  // of the file, without .toml
  std::filesystem::path path = {};
  std::string title = {};
  std::string task = {};    // empty: nothing is trained, and needs no data; test has it all
  std::string folder = {};  // of the data; empty, as the next three: training makes its own
  std::string data = {};    // a command of heed that makes it; empty: it is fetched
  std::string fetch = {};   // otherwise what to fetch and from where
  std::vector<std::string> files = {};  // that must be in the folder
  std::vector<std::string> steps = {};  // commands between data and training
  // Commands after training, the last one printing the figure; without any, training prints it.
  std::vector<std::string> test = {};
  std::string metric = {};
  // Where the last command of the test prints it: a JSON pointer, or the word before it.
  std::string value = {};
  Band band = {};
  double minutes = 0;
  std::vector<RecipeVariant> variants = {};  // trained too, and set beside it in a table

  bool makes_its_data() const {
    return folder.empty() && data.empty() && fetch.empty() && files.empty();
  }
};

// The recipe of this file. UsageError with file and line for a table [recipe] that lacks a key, has
// an unknown one or one of a wrong type.
Recipe read_recipe(const std::filesystem::path& path);

// The same, or nothing for a config without such a table.
std::optional<Recipe> find_recipe_table(const std::filesystem::path& path);

// Where recipes are: the folder asked for or, without one, ./recipes where there is such a folder,
// else the one that was installed beside the program.
std::filesystem::path recipes_folder(const std::string& wish);

// All *.toml of a folder, by name. DataError when there is none.
std::vector<Recipe> read_recipes(const std::filesystem::path& folder);

}  // namespace heed::pipeline

#pragma GCC visibility pop
