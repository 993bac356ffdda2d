// SPDX-License-Identifier: Apache-2.0
// Command lines by CLI11.
#include "cli/command_line.h"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <utility>

#include "heed/base/error.h"
#include "heed/base/text.h"

namespace heed::cli {
namespace {

// What the help shows as the kind of value.
std::string placeholder(const Option& option) {
  if (!option.names().empty()) return fmt::format("{{{}}}", join(option.names(), ","));
  if (option.is_list()) return "TEXT ...";
  const OptionValue value = option.value();
  if (std::holds_alternative<std::int64_t>(value)) return "WHOLE";
  return std::holds_alternative<double>(value) ? "NUMBER" : "TEXT";
}

void add_option(CLI::App& app, Options& options, const Option& option) {
  const std::string& name = option.name();
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
    // Without extra arguments: those after the value are the verb's own.
    added->expected(1)->allow_extra_args(false)->multi_option_policy(
        CLI::MultiOptionPolicy::TakeLast);
  }
}

// CLI11 lists what it did not recognise; a flag among them gets the nearest known name.
[[noreturn]] void refuse_extras(const CLI::App& app) {
  std::vector<std::string> known;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back(fmt::format("--{}", name));
  }
  const std::vector<std::string> extras = app.remaining();
  const auto flag = std::ranges::find_if(
      extras, [](const std::string& extra) { return extra.size() > 1 && extra.front() == '-'; });
  if (flag == extras.end()) {
    throw UsageError("there is no use for the argument \"{}\"; see `{} --help`",
                     extras.empty() ? "" : extras.front(), app.get_name());
  }
  const std::string name = flag->substr(0, flag->find('='));
  throw UsageError("there is no option \"{}\"{}; see `{} --help`", name, did_you_mean(name, known),
                   app.get_name());
}

}  // namespace

Argument& Argument::required() {
  option_->required();
  return *this;
}

Argument& Argument::kind(const std::string& name) {
  option_->type_name(name);
  return *this;
}

Argument& Argument::shows_default() {
  option_->capture_default_str();
  return *this;
}

Argument& Argument::range(int lowest, int highest) {
  option_->check(CLI::Range(lowest, highest));
  return *this;
}

Argument& Argument::range(double lowest, double highest) {
  option_->check(CLI::Range(lowest, highest));
  return *this;
}

Argument& Argument::needs(Argument other) {
  option_->needs(other.option_);
  return *this;
}

Argument& Argument::group(const std::string& heading) {
  option_->group(heading);
  return *this;
}

bool Argument::given() const {
  return option_->count() > 0;
}

std::string Argument::name() const {
  return option_->get_name();
}

std::vector<std::string> Argument::long_names() const {
  return option_->get_lnames();
}

std::string Argument::help() const {
  return option_->get_description();
}

CommandLine::CommandLine(const std::string& opening, const std::string& name)
    : app_(std::make_unique<CLI::App>(opening, name)) {
  app_->set_help_flag("-h,--help", "Print this help and exit");
}

CommandLine::~CommandLine() = default;

template <typename Value>
Argument CommandLine::add_value(const std::string& name, Value& value, const std::string& help) {
  return Argument(app_->add_option(name, value, help));
}

Argument CommandLine::add(const std::string& name, std::string& value, const std::string& help) {
  return add_value(name, value, help);
}

Argument CommandLine::add(const std::string& name, std::vector<std::string>& values,
                          const std::string& help) {
  return add_value(name, values, help);
}

Argument CommandLine::add(const std::string& name, int& value, const std::string& help) {
  return add_value(name, value, help);
}

Argument CommandLine::add(const std::string& name, std::int64_t& value, const std::string& help) {
  return add_value(name, value, help);
}

Argument CommandLine::add(const std::string& name, std::uint64_t& value, const std::string& help) {
  return add_value(name, value, help);
}

Argument CommandLine::add(const std::string& name, double& value, const std::string& help) {
  return add_value(name, value, help);
}

Argument CommandLine::add_flag(const std::string& name, bool& value, const std::string& help) {
  return Argument(app_->add_flag(name, value, help));
}

std::vector<Argument> CommandLine::arguments() const {
  std::vector<Argument> all;
  for (CLI::Option* option : app_->get_options()) all.emplace_back(option);
  return all;
}

Action CommandLine::with_options(Options& options, Action run, Action prepare) {
  for (const Option& option : options.all()) add_option(*app_, options, option);
  struct Own {
    std::string config;
    bool dump = false;
  };
  auto own = std::make_shared<Own>();
  add("--config", own->config, "TOML file of options; the command line overrides it").kind("FILE");
  add_flag("--dump-config", own->dump, "print the options in effect as TOML, and exit");
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

std::string CommandLine::help() const {
  return app_->help();
}

bool CommandLine::parse(int count, char** words) {
  try {
    app_->parse(count, words);
    return true;
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", help());
    return false;
  } catch (const CLI::Success&) {
    return false;
  } catch (const CLI::ExtrasError&) {
    refuse_extras(*app_);
  } catch (const CLI::ParseError& error) {
    throw UsageError("{}; see `{} --help`", trim(error.what()), app_->get_name());
  }
}

}  // namespace heed::cli
