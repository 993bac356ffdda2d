// SPDX-License-Identifier: Apache-2.0
// Options on the command line: --NAME for each, --config FILE and --dump-config for all of them.
#pragma once

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "heed/base/options.h"
#include "heed/base/text.h"

namespace heed::cli {

// What the help shows as the kind of value.
inline std::string placeholder(const Option& option) {
  if (!option.names().empty()) return fmt::format("{{{}}}", join(option.names(), ","));
  if (option.is_list()) return "TEXT ...";
  const OptionValue value = option.value();
  if (std::holds_alternative<std::int64_t>(value)) return "WHOLE";
  return std::holds_alternative<double>(value) ? "NUMBER" : "TEXT";
}

inline void add_option(CLI::App& app, Options& options, const Option& option) {
  const std::string name = option.name();
  if (option.is_flag()) {
    // A flag may be taken back: --shuffle, --no-shuffle; the last one counts.
    app.add_flag_function(
           fmt::format("--{},!--no-{}", name, name),
           [&options, name](std::int64_t last) {
             const std::vector<std::string> words = {last > 0 ? "true" : "false"};
             options.set(name, words);
           },
           option.help())
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast)
        ->default_str(option.default_text());
    return;
  }
  CLI::Option* added = app.add_option_function<std::vector<std::string>>(
      fmt::format("--{}", name),
      [&options, name](const std::vector<std::string>& words) { options.set(name, words); },
      option.help());
  added->type_name(placeholder(option))->default_str(option.default_text());
  if (option.is_list()) {
    added->expected(1, CLI::detail::expected_max_vector_size);
  } else {
    // Without extra arguments: those behind the value are the verb's own.
    added->expected(1)->allow_extra_args(false)->multi_option_policy(
        CLI::MultiOptionPolicy::TakeLast);
  }
}

// Declares all options on app and gives the verb's action: it reads the config file, then runs, or
// with --dump-config prints the effective values. `run` must keep options alive:
//
//   auto options = std::make_shared<TrainOptions>();
//   return with_options(app, options->list, [options] { train(*options); });
//
// `prepare` comes between reading and both: where presets fill in what nobody has said.
inline std::function<void()> with_options(CLI::App& app, Options& options,
                                          std::function<void()> run,
                                          std::function<void()> prepare = nullptr) {
  for (const Option& option : options.all()) add_option(app, options, option);
  struct Own {
    std::string config;
    bool dump = false;
  };
  auto own = std::make_shared<Own>();
  app.add_option("--config", own->config, "TOML file of options; the command line overrides it")
      ->type_name("FILE");
  app.add_flag("--dump-config", own->dump, "print the options in effect as TOML, and exit");
  return [own, &options, run = std::move(run), prepare = std::move(prepare)] {
    if (!own->config.empty()) options.read_toml(own->config);
    if (prepare) prepare();
    if (own->dump) {
      fmt::print("{}", options.to_toml());
    } else {
      run();
    }
  };
}

}  // namespace heed::cli
