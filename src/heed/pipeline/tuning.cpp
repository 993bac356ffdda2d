// SPDX-License-Identifier: Apache-2.0
// Spaces from TOML, draws by counting, and trials whose results are kept line by line.
#include "heed/pipeline/tuning.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <sstream>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/random.h"
#include "heed/base/text.h"
#include "heed/pipeline/train.h"

namespace heed::pipeline {
namespace {

constexpr std::int64_t kShare = 3;  // one trial in three goes on

std::string toml_of(const toml::node& node) {
  std::ostringstream text;
  node.visit([&](const auto& value) { text << value; });
  return text.str();
}

std::string place_of(const std::string& name, const toml::node& node) {
  return fmt::format("{}:{}", name, node.source().begin.line);
}

TunedOption tuned_option(const std::string& option, const toml::node& node,
                         const std::string& file) {
  TunedOption tuned{.name = option};
  if (const toml::array* choices = node.as_array()) {
    for (const toml::node& choice : *choices) tuned.choices.push_back(toml_of(choice));
    if (tuned.choices.empty())
      throw UsageError("{}: {} has no values", place_of(file, node), option);
    return tuned;
  }
  const toml::table* range = node.as_table();
  const auto low = range == nullptr ? std::nullopt : (*range)["low"].value<double>();
  const auto high = range == nullptr ? std::nullopt : (*range)["high"].value<double>();
  if (!low || !high || !(*low < *high)) {
    throw UsageError(
        "{}: {} takes a list of values, or {{low = ..., high = ..., scale = \"log\"}} with low "
        "below high",
        place_of(file, node), option);
  }
  const std::string scale = (*range)["scale"].value_or<std::string>("linear");
  if (scale != "linear" && scale != "log") {
    throw UsageError("{}: the scale of {} is \"{}\"; it takes linear or log", place_of(file, node),
                     option, scale);
  }
  tuned.low = *low;
  tuned.high = *high;
  tuned.logarithmic = scale == "log";
  tuned.whole = (*range)["low"].is_integer() && (*range)["high"].is_integer();
  if (tuned.logarithmic && tuned.low <= 0) {
    throw UsageError("{}: {} begins at {}; a logarithmic scale takes numbers above 0",
                     place_of(file, node), option, tuned.low);
  }
  return tuned;
}

std::string drawn_value(const TunedOption& option, Random& random) {
  if (!option.choices.empty()) return option.choices[random.integer(option.choices.size())];
  const double share = random.uniform();
  double value = option.low + share * (option.high - option.low);
  if (option.logarithmic) value = option.low * std::pow(option.high / option.low, share);
  if (option.whole) return fmt::format("{}", std::llround(value));
  const std::string text = fmt::format("{:.4g}", value);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string written(const OptionValues& values) {
  std::vector<std::string> words;
  for (const auto& [name, value] : values) words.push_back(fmt::format("{}={}", name, value));
  return join(words, " ");
}

// What has been measured so far: (trial, rung) -> value, in a file that only grows.
class Results {
 public:
  explicit Results(std::filesystem::path file) : file_(std::move(file)) {
    if (!std::filesystem::exists(file_)) return;
    const std::string text = read_file(file_);
    for (const std::string_view line : split(text, '\n')) {
      const auto columns = split(line, '\t');
      if (columns.size() < 5 || columns[0] == "trial") continue;
      better_ = columns[4] == "higher" ? training::Better::higher : training::Better::lower;
      known_[{parse_integer(columns[0], file_.string()),
              parse_integer(columns[1], file_.string())}] =
          parse_number(columns[3], file_.string());
    }
  }
  std::optional<double> find(std::int64_t trial, std::int64_t rung) const {
    const auto found = known_.find({trial, rung});
    return found == known_.end() ? std::nullopt : std::optional(found->second);
  }
  // Which way is better is known after the first training, of this call or an earlier one.
  training::Better better() const { return better_; }
  void add(const Trial& trial, training::Better better) {
    better_ = better;
    known_[{trial.number, trial.rung}] = trial.value;
    if (lines_.empty() && std::filesystem::exists(file_)) lines_ = read_file(file_);
    if (lines_.empty()) lines_ = "trial\trung\tupdates\tvalue\tbetter\toptions\n";
    lines_ += fmt::format("{}\t{}\t{}\t{}\t{}\t{}\n", trial.number, trial.rung, trial.updates,
                          trial.value, better == training::Better::higher ? "higher" : "lower",
                          written(trial.values));
    write_atomically(file_, lines_);
  }

 private:
  std::filesystem::path file_;
  std::string lines_;
  training::Better better_ = training::Better::lower;
  std::map<std::pair<std::int64_t, std::int64_t>, double> known_;
};

std::unique_ptr<KindOptions> options_of(const ModelKind& kind, const SearchSpace& space,
                                        const Trial& trial) {
  std::unique_ptr<KindOptions> options = kind.options();
  for (const auto& [name, value] : trial.values) {
    options->list.read_toml_text(fmt::format("{} = {}\n", name, value),
                                 fmt::format("trial {}", trial.number));
  }
  options->list.read_toml_text(space.fixed, "the search space");
  options->out = trial.out;
  options->apply_preset();
  return options;
}

std::string folder_name(std::int64_t number) {
  return fmt::format("trial-{:03}", number);
}

}  // namespace

SearchSpace read_search_space(std::string_view text, const std::string& name) {
  toml::table table;
  try {
    table = toml::parse(text, name);
  } catch (const toml::parse_error& error) {
    throw UsageError("{}:{}: {}", name, error.source().begin.line, error.description());
  }
  SearchSpace space;
  const toml::node* ranges = table.get("ranges");
  if (ranges == nullptr || !ranges->is_table() || ranges->as_table()->empty()) {
    throw UsageError("{}: a search space has a table [ranges] of options and the values to try",
                     name);
  }
  for (const auto& [key, node] : *ranges->as_table()) {
    space.ranges.push_back(tuned_option(std::string(key.str()), node, name));
  }
  for (const auto& [key, node] : table) {
    if (key.str() == "ranges") continue;
    space.fixed += fmt::format("{} = {}\n", key.str(), toml_of(node));
  }
  return space;
}

OptionValues drawn_values(const SearchSpace& space, std::uint64_t seed, std::int64_t trial) {
  Random random(seed, static_cast<std::uint64_t>(trial));
  OptionValues values;
  for (const TunedOption& option : space.ranges) {
    values.emplace_back(option.name, drawn_value(option, random));
  }
  return values;
}

TuneReport tune(const ModelKind& kind, const SearchSpace& space, const TuneOptions& options,
                const Print& print) {
  if (options.out.empty()) throw UsageError("--out: say which folder the trials go to");
  const std::filesystem::path out = options.out;
  TuneReport report{.metric = options.metric};
  for (std::int64_t number = 0; number < options.trials; ++number) {
    report.trials.push_back({.number = number,
                             .values = drawn_values(space, options.seed, number),
                             .out = (out / folder_name(number)).string()});
  }
  // All is checked before anything runs: a misspelt option costs no training.
  std::int64_t budget = 0;
  for (const Trial& trial : report.trials) {
    const std::unique_ptr<KindOptions> mine = options_of(kind, space, trial);
    mine->check();
    if (!mine->validates()) {
      throw UsageError(
          "the search space: trials are compared by validation; give valid or valid-fraction");
    }
    budget = mine->trainer.max_updates;
    if (report.metric.empty()) report.metric = mine->trainer.early_stopping;
  }
  if (budget == 0) throw UsageError("the search space: say max-updates, which the trials share");
  std::string setup =
      fmt::format("{}metric = {}\nrungs = {}\n", space.fixed, report.metric, options.rungs);
  for (const Trial& trial : report.trials) setup += written(trial.values) + "\n";
  make_folder(out);
  if (std::filesystem::exists(out / "space.txt") && read_file(out / "space.txt") != setup) {
    throw UsageError("{}: another search was begun there; take another --out, or remove it",
                     options.out);
  }
  write_atomically(out / "space.txt", setup);

  Results results(out / "trials.tsv");
  std::vector<Trial*> going;
  for (Trial& trial : report.trials) going.push_back(&trial);
  const auto is_better = [&](double a, double b) {
    return results.better() == training::Better::lower ? a < b : a > b;
  };
  for (std::int64_t rung = 0; rung < options.rungs; ++rung) {
    std::int64_t updates = budget;
    for (std::int64_t i = rung + 1; i < options.rungs; ++i) updates /= kShare;
    for (Trial* trial : going) {
      trial->rung = rung;
      trial->updates = std::max<std::int64_t>(updates, 1);
      if (const auto known = results.find(trial->number, rung)) {
        trial->value = *known;
        continue;
      }
      say(print, fmt::format("trial {} of {}, {} updates: {}", trial->number, options.trials,
                             trial->updates, written(trial->values)));
      const std::unique_ptr<KindOptions> mine = options_of(kind, space, *trial);
      mine->trainer.max_updates = trial->updates;
      const TrainingReport run = train(*mine, print);
      if (run.outcome.ending == training::Ending::interrupted) {
        report.interrupted = true;
        report.signal = run.outcome.signal;
        return report;
      }
      const auto found = run.outcome.best.find(report.metric);
      if (found == run.outcome.best.end()) {
        std::vector<std::string> names;
        for (const training::MetricKind& one : run.metrics) names.push_back(one.name);
        throw UsageError("--metric: \"{}\" is not measured{}; validation measures {}",
                         report.metric, did_you_mean(report.metric, names), join(names, ", "));
      }
      trial->value = found->second;
      results.add(*trial, training::find_metric(run.metrics, report.metric).better);
    }
    std::ranges::stable_sort(
        going, [&](const Trial* a, const Trial* b) { return is_better(a->value, b->value); });
    const auto next = static_cast<std::size_t>(
        std::max<std::int64_t>(1, static_cast<std::int64_t>(going.size()) / kShare));
    if (rung + 1 < options.rungs) going.resize(std::min(going.size(), next));
  }
  std::ranges::stable_sort(report.trials, [&](const Trial& a, const Trial& b) {
    if (a.rung != b.rung) return a.rung > b.rung;
    return is_better(a.value, b.value);
  });
  return report;
}

}  // namespace heed::pipeline
