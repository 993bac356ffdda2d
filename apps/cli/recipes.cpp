// SPDX-License-Identifier: Apache-2.0
// `heed recipes`: lists what can be trained, and checks that it reaches its figure.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/command.h"
#include "cli/verb.h"
#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/text.h"
#include "heed/pipeline/recipe.h"

namespace heed::cli {
namespace {

using nlohmann::json;
using pipeline::Recipe;

// The figure was missed: neither a mistake nor a bad file, so it has an exit code of its own.
class MissedBand : public Error {
 public:
  using Error::Error;
  int exit_code() const noexcept override { return 1; }
};

struct RecipesVerb {
  std::string action, name;
  std::string folder, data, out;
  bool json = false;
  std::vector<std::string> options;
  Options list;

  RecipesVerb() {
    list.add("folder", folder, "where the recipes are; empty: ./recipes, then the installed ones");
    list.add("data", data, "folder of the data; empty: the recipe's own");
    list.add("out", out, "folder of the model; empty: models/NAME").letter('o').kind("FOLDER");
    list.add("options", options, "further options for training, such as --options max-updates=50");
    list.add("json", json, "list as JSON");
  }
};

const Recipe& find(const std::vector<Recipe>& recipes, const std::string& name) {
  std::vector<std::string> names;
  for (const Recipe& recipe : recipes) {
    if (recipe.name == name) return recipe;
    names.push_back(recipe.name);
  }
  throw UsageError("no recipe is called \"{}\"{}; `heed recipes` lists them", name,
                   did_you_mean(name, names));
}

std::string data_of(const Recipe& recipe) {
  if (recipe.task.empty()) return "none";
  if (recipe.makes_its_data()) return "made";
  return recipe.data.empty() ? "to fetch" : "built in";
}

void print_list(const std::vector<Recipe>& recipes, bool as_json) {
  if (as_json) {
    json all = json::array();
    for (const Recipe& recipe : recipes) {
      json variants = json::array();
      for (const pipeline::RecipeVariant& variant : recipe.variants) {
        variants.push_back({{"name", variant.name}, {"band", variant.band.text()}});
      }
      all.push_back({{"name", recipe.name},
                     {"task", recipe.task},
                     {"title", recipe.title},
                     {"data", data_of(recipe)},
                     {"metric", recipe.metric},
                     {"band", recipe.band.text()},
                     {"variants", variants},
                     {"minutes", recipe.minutes}});
    }
    fmt::print("{}\n", all.dump(2));
    return;
  }
  for (const Recipe& recipe : recipes) {
    std::string variants;
    for (const pipeline::RecipeVariant& variant : recipe.variants) {
      variants += (variants.empty() ? "; beside it " : ", ") + variant.name;
    }
    fmt::print("{}: {}\n  {}, data {}, {} {}, about {} min{}\n", recipe.name, recipe.title,
               recipe.task.empty() ? "a benchmark" : recipe.task, data_of(recipe), recipe.metric,
               recipe.band.text(), recipe.minutes, variants);
  }
}

std::optional<double> number_at(const std::string& printed, const std::string& pointer) {
  json found = json::parse(printed, nullptr, false);
  if (found.is_discarded()) {
    found = json::array();
    for (const std::string_view line : split(printed, '\n')) {
      if (!trim(line).empty()) found.push_back(json::parse(line, nullptr, false));
    }
  }
  const json::json_pointer place(pointer);
  if (!found.contains(place) || !found.at(place).is_number()) return {};
  return found.at(place).get<double>();
}

// "perplexity" finds 12.5 in "perplexity = 12.5," and in "perplexity 12.5".
std::optional<double> number_behind(const std::string& printed, const std::string& word) {
  const std::size_t at = printed.find(word);
  if (at == std::string::npos) return {};
  const char* const begin = printed.c_str() + at + word.size();
  const char* const digits = begin + std::strspn(begin, " =:\t");
  char* end = nullptr;
  const double value = std::strtod(digits, &end);
  if (end == digits) return {};
  return value;
}

// The figure, and what the training took that leads to it.
struct Measured {
  double value = 0;
  CommandCost training = {};
};

// One recipe on its way: where data and model lie.
class Kitchen {
 public:
  Kitchen(const Recipe& recipe, const RecipesVerb& verb)
      : recipe_(recipe),
        data_(verb.data.empty() ? recipe.folder : verb.data),
        out_(verb.out.empty() ? "models/" + recipe.name : verb.out),
        options_(verb.options) {}

  void prepare_data() const {
    const bool there = std::ranges::all_of(recipe_.files, [&](const std::string& file) {
      return std::filesystem::exists(std::filesystem::path(data_) / file);
    });
    if (recipe_.task.empty() || recipe_.makes_its_data()) return;
    if (there && !recipe_.files.empty()) return;
    if (recipe_.data.empty()) {
      throw DataError("{}: {} lacks {}; fetch {} and put it there, or say with --data where it is",
                      recipe_.name, data_, join(recipe_.files, ", "), recipe_.fetch);
    }
    run(recipe_.data);
  }

  // Trains into this folder with these options besides, and gives the figure.
  Measured measure(const std::string& model, const std::vector<std::string>& more) const {
    for (const std::string& step : recipe_.steps) run(step, model);
    Measured measured;
    std::string printed;
    if (!recipe_.task.empty()) printed = train(model, more, measured.training);
    for (const std::string& step : recipe_.test) printed = run(step, model);
    measured.value = value_in(printed);
    return measured;
  }

  const std::string& out() const { return out_; }

 private:
  // What it prints.
  std::string train(const std::string& model, const std::vector<std::string>& more,
                    CommandCost& cost) const {
    Command train{.words = {"heed", "train", recipe_.task, "--config", recipe_.path.string()}};
    for (const Option* option : moved_options()) {
      train.words.push_back("--" + option->name);
      for (const std::string& value : option->values) train.words.push_back(placed(value, model));
    }
    train.words.insert(train.words.end(), {"--out", model});
    for (const std::string& option : options_) {
      const std::size_t equals = option.find('=');
      train.words.push_back("--" + option.substr(0, equals));
      if (equals != std::string::npos) train.words.push_back(option.substr(equals + 1));
    }
    train.words.insert(train.words.end(), more.begin(), more.end());
    show(train);
    return run_command(train, &cost);
  }

  struct Option {
    std::string name;
    std::vector<std::string> values;
  };

  // What is between quotes in a line.
  static std::vector<std::string> quoted(std::string_view line) {
    std::vector<std::string> values;
    const std::vector<std::string_view> pieces = split(line, '"');
    for (std::size_t i = 1; i + 1 < pieces.size(); i += 2) values.emplace_back(pieces[i]);
    return values;
  }

  // Options of the recipe that name files of its data, one or a list, when the data is elsewhere.
  std::vector<const Option*> moved_options() const {
    if (own_.empty() && !recipe_.folder.empty() && data_ != recipe_.folder) {
      const std::string config = read_file(recipe_.path);
      std::string name;  // of the option that the line belongs to
      for (std::string_view line : split(config, '\n')) {
        if (line.starts_with('[')) break;
        if (const std::size_t equals = line.find(" = "); equals != std::string_view::npos) {
          name = line.substr(0, equals);
          line.remove_prefix(equals);
        }
        for (std::string& value : quoted(line)) {
          if (!value.starts_with(recipe_.folder + '/')) continue;
          if (own_.empty() || own_.back().name != name) own_.push_back({name, {}});
          own_.back().values.push_back(std::move(value));
        }
      }
    }
    std::vector<const Option*> moved;
    for (const Option& option : own_) moved.push_back(&option);
    return moved;
  }

  // A word with MODEL and the recipe's own folder of data replaced by where they are.
  std::string placed(std::string word, const std::string& model) const {
    const auto replace = [&](const std::string& from, const std::string& to) {
      if (from.empty()) return;
      if (word == from) word = to;
      if (word.starts_with(from + '/')) word = to + word.substr(from.size());
    };
    replace("MODEL", model);
    replace(recipe_.folder, data_);
    return word;
  }

  std::string run(const std::string& line, const std::string& model = {}) const {
    Command command = parse_command(line);
    for (std::string& word : command.words) word = placed(word, model);
    command.output = placed(command.output, model);
    show(command);
    return run_command(command);
  }

  static void show(const Command& command) {
    std::string line = "$";
    for (const std::string& word : command.words) {
      line += word.find(' ') == std::string::npos ? " " + word : fmt::format(" \"{}\"", word);
    }
    if (!command.output.empty()) line += " > " + command.output;
    fmt::print("{}\n", line);
    flush_output();
  }

  // At a JSON pointer, objects on lines of their own being an array; or after a word.
  double value_in(const std::string& printed) const {
    const std::optional<double> found = recipe_.value.starts_with('/')
                                            ? number_at(printed, recipe_.value)
                                            : number_behind(printed, recipe_.value);
    if (found) return *found;
    throw DataError("{}: its test prints no number at {}", recipe_.path.string(), recipe_.value);
  }

  const Recipe& recipe_;
  std::string data_, out_;
  std::vector<std::string> options_;
  mutable std::vector<Option> own_;
};

// "met", "missed", or nothing where any figure will do.
std::string verdict(const pipeline::Band& band, double measured) {
  if (band.is_open()) return {};
  return fmt::format("{}: {}", band.text(), band.holds(measured) ? "met" : "missed");
}

// Trains and measures the variants, and prints them in a table below the recipe as it is, with the
// processor's seconds and the memory that each training took. Gives the names of those that miss
// their band.
std::vector<std::string> measure_variants(const Recipe& recipe, const Kitchen& kitchen,
                                          const Measured& whole) {
  std::string table = fmt::format("{}  {:<18}  {:>9}  {:>10}\n", pad_right("", 24), recipe.metric,
                                  "training", "peak");
  const auto add_row = [&](const std::string& name, const Measured& one,
                           const pipeline::Band& band) {
    const std::string row = fmt::format(
        "{}  {:<8.4g}  {:<+8.4g}  {:>7.0f} s  {:>10}  {}", pad_right(name, 24), one.value,
        one.value - whole.value, one.training.seconds,
        human_bytes(static_cast<std::uint64_t>(one.training.bytes)), verdict(band, one.value));
    table += fmt::format("{}\n", row.substr(0, row.find_last_not_of(' ') + 1));
  };
  add_row("as it is", whole, recipe.band);
  std::vector<std::string> missed;
  for (std::size_t i = 0; i < recipe.variants.size(); ++i) {
    const pipeline::RecipeVariant& variant = recipe.variants[i];
    const Measured one =
        kitchen.measure(fmt::format("{}/{}", kitchen.out(), i + 1), variant.options);
    add_row(variant.name, one, variant.band);
    if (!variant.band.holds(one.value)) missed.push_back(variant.name);
  }
  fmt::print("{}", table);
  return missed;
}

void check(const Recipe& recipe, const RecipesVerb& verb) {
  const Kitchen kitchen(recipe, verb);
  const auto start = std::chrono::steady_clock::now();
  kitchen.prepare_data();
  const bool alone = recipe.variants.empty();
  const Measured whole = kitchen.measure(alone ? kitchen.out() : kitchen.out() + "/whole", {});
  std::vector<std::string> missed;
  if (!alone) missed = measure_variants(recipe, kitchen, whole);
  const double measured = whole.value;
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  const std::string line = fmt::format(
      "{}: {} {:.4g}, {}{}; {} (expected: about {} min)", recipe.name, recipe.metric, measured,
      verdict(recipe.band, measured),
      missed.empty() ? "" : fmt::format("; missed by the variants: {}", join(missed, ", ")),
      human_duration(took.count()), recipe.minutes);
  if (!recipe.band.holds(measured) || !missed.empty()) throw MissedBand(line);
  fmt::print("{}\n", line);
}

void run(const RecipesVerb& verb) {
  const std::vector<Recipe> recipes = pipeline::read_recipes(pipeline::recipes_folder(verb.folder));
  if (verb.action.empty()) return print_list(recipes, verb.json);
  if (verb.action != "check" || verb.name.empty()) {
    throw UsageError("`heed recipes` lists them, `heed recipes check NAME` runs one");
  }
  check(find(recipes, verb.name), verb);
}

Action set_up(CommandLine& line) {
  auto verb = std::make_shared<RecipesVerb>();
  line.add("ACTION", verb->action, "check; none: list them all").kind("");
  line.add("NAME", verb->name, "the recipe to check").kind("");
  return line.with_options(verb->list, [verb] { run(*verb); });
}

const ListedVerb kListed(
    {.name = "recipes",
     .summary = "List recipes: models with data, training and the figure they reach; check one",
     .description = "A recipe is a config file with a table [recipe]. `check` makes the data, "
                    "trains, tests, and says whether the figure lies in its band; the exit code is "
                    "1 when it does not.",
     .example = "heed recipes\nheed recipes check dates-rnn\n"
                "heed train --config recipes/dates-rnn.toml --out model",
     .setup = set_up});

}  // namespace
}  // namespace heed::cli
