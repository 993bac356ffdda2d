// SPDX-License-Identifier: Apache-2.0
// One copy of the options for each training, with its seed, its fold and its folder.
#include "heed/pipeline/repeat.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>

#include "heed/base/error.h"
#include "heed/base/text.h"

namespace heed::pipeline {
namespace {

// What one training has of its own: values of options, by name.
struct Setting {
  std::string name{};
  std::string folder{};
  std::vector<std::pair<std::string, std::string>> values{};
};

void check_repeated(const KindOptions& options) {
  for (const std::string& seed : options.seeds) {
    if (parse_integer(seed, "--seeds") < 0) throw UsageError("--seeds: {} is below 0", seed);
    if (std::ranges::count(options.seeds, seed) > 1) {
      throw UsageError("--seeds: {} comes twice; each training takes a seed of its own", seed);
    }
  }
  if (options.folds == 1) throw UsageError("--folds is 1: it takes 2 or more");
  if (options.folds == 0) return;
  const Option* fold = options.list.find("fold");
  if (fold == nullptr) {
    throw UsageError("--folds: a {} holds out the end of its text, not lines of it; use --seeds",
                     options.kind().noun);
  }
  for (const Option& option : options.list.all()) {
    const bool is_data = option.name() == "valid" || option.name().starts_with("valid-source");
    if (is_data && options.list.is_set(option.name())) {
      throw UsageError("--folds holds out parts of the training data; leave --{} out",
                       option.name());
    }
  }
}

std::vector<Setting> settings_of(const KindOptions& options) {
  std::vector<Setting> settings = {{}};
  const auto cross = [&](const std::string& what, const std::vector<std::string>& choices,
                         const auto& values_of) {
    std::vector<Setting> crossed;
    for (const Setting& setting : settings) {
      for (const std::string& choice : choices) {
        Setting next = setting;
        next.name += fmt::format("{}{} {}", next.name.empty() ? "" : ", ", what, choice);
        next.folder += fmt::format("{}{}-{}", next.folder.empty() ? "" : "-", what, choice);
        for (auto& value : values_of(choice)) next.values.push_back(std::move(value));
        crossed.push_back(std::move(next));
      }
    }
    settings = std::move(crossed);
  };
  using Values = std::vector<std::pair<std::string, std::string>>;
  if (!options.seeds.empty()) {
    cross("seed", options.seeds, [](const std::string& seed) { return Values{{"seed", seed}}; });
  }
  if (options.folds > 0) {
    std::vector<std::string> folds;
    for (std::int64_t fold = 0; fold < options.folds; ++fold) folds.push_back(std::to_string(fold));
    const std::string share = fmt::format("{}", 1.0 / static_cast<double>(options.folds));
    cross("fold", folds, [&](const std::string& fold) {
      return Values{{"fold", fold}, {"valid-fraction", share}};
    });
  }
  return settings;
}

}  // namespace

bool is_repeated(const KindOptions& options) {
  return !options.seeds.empty() || options.folds > 0;
}

std::vector<Repetition> train_repeatedly(const KindOptions& options, const Print& print) {
  check_repeated(options);
  if (options.out.empty()) throw UsageError("--out: say which folder the models go to");
  std::vector<Repetition> runs;
  for (const Setting& setting : settings_of(options)) {
    const std::unique_ptr<KindOptions> mine = options.kind().options();
    mine->copy_values(options);
    mine->seeds.clear();
    mine->folds = 0;
    mine->out = (std::filesystem::path(options.out) / setting.folder).string();
    for (const auto& [name, value] : setting.values) {
      mine->list.read_toml_text(fmt::format("{} = {}\n", name, value), setting.name);
    }
    say(print, setting.name);
    runs.push_back({setting.name, mine->out, train(*mine, print)});
    if (runs.back().report.outcome.ending == training::Ending::interrupted) break;
  }
  return runs;
}

std::vector<Spread> spreads(std::span<const Repetition> runs) {
  std::vector<Spread> all;
  if (runs.empty()) return all;
  for (const auto& [metric, first] : runs.front().report.outcome.best) {
    std::vector<double> values;
    for (const Repetition& run : runs) {
      const auto found = run.report.outcome.best.find(metric);
      if (found != run.report.outcome.best.end()) values.push_back(found->second);
    }
    if (values.size() != runs.size()) continue;
    Spread spread{.metric = metric, .lowest = values.front(), .highest = values.front()};
    for (const double value : values) {
      spread.mean += value / static_cast<double>(values.size());
      spread.lowest = std::min(spread.lowest, value);
      spread.highest = std::max(spread.highest, value);
    }
    double squares = 0;
    for (const double value : values) squares += (value - spread.mean) * (value - spread.mean);
    if (values.size() > 1) {
      spread.deviation = std::sqrt(squares / static_cast<double>(values.size() - 1));
    }
    all.push_back(spread);
  }
  return all;
}

}  // namespace heed::pipeline
