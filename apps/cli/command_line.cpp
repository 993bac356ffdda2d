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
#include "heed/base/verbosity.h"

namespace heed::cli {
namespace {

// What the help shows as the kind of value.
std::string placeholder(const Option& option) {
  if (!option.names().empty()) return join(option.names(), "|");
  const std::string kind = [&]() -> std::string {
    if (!option.kind().empty()) return option.kind();
    if (std::holds_alternative<std::int64_t>(option.default_value())) return "N";
    return std::holds_alternative<double>(option.default_value()) ? "NUMBER" : "TEXT";
  }();
  return option.is_list() ? kind + " ..." : kind;
}

// The default in plain words; empty where there is nothing to say.
std::string plain_default(const Option& option) {
  const OptionValue& value = option.default_value();
  if (const bool* on = std::get_if<bool>(&value)) return *on ? "on" : "";
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *whole);
  if (const double* number = std::get_if<double>(&value)) return fmt::format("{}", *number);
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return join(std::get<std::vector<std::string>>(value), " ");
}

// "-o,--out", as CLI11 takes names.
std::string dashed(const Option& option) {
  return option.letter() == '\0' ? fmt::format("--{}", option.name())
                                 : fmt::format("-{},--{}", option.letter(), option.name());
}

CLI::Option* add_option(CLI::App& app, Options& options, const Option& option) {
  const std::string& name = option.name();
  if (option.is_flag()) {
    // A flag may be taken back: --shuffle, --no-shuffle; the last one counts.
    return app
        .add_flag_function(
            fmt::format("{},!--no-{}", dashed(option), name),
            [&options, name](std::int64_t last) {
              const std::vector<std::string> words = {last > 0 ? "true" : "false"};
              options.set(name, words);
            },
            option.help())
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  }
  CLI::Option* added = app.add_option_function<std::vector<std::string>>(
      dashed(option),
      [&options, name](const std::vector<std::string>& words) { options.set(name, words); },
      option.help());
  if (option.is_list()) {
    added->expected(1, CLI::detail::expected_max_vector_size);
  } else {
    // Without extra arguments: those after the value are the verb's own.
    added->expected(1)->allow_extra_args(false)->multi_option_policy(
        CLI::MultiOptionPolicy::TakeLast);
  }
  return added;
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

CommandLine::CommandLine(HelpPage page)
    : page_(std::move(page)), app_(std::make_unique<CLI::App>(page_.summary, page_.name)) {
  app_->set_help_flag("-h,--help", "print this help, and exit")->group(kGeneral);
  add_flag("-q,--quiet", quiet_, "say nothing but results, warnings and errors").group(kGeneral);
  add_flag("-v,--verbose", verbose_,
           "say which options are set, how long it took and how much memory it needed")
      .group(kGeneral);
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
  for (const Option& option : options.all()) {
    declared_.emplace(add_option(*app_, options, option), &option);
  }
  struct Own {
    std::string config;
    bool dump = false;
  };
  auto own = std::make_shared<Own>();
  add("--config", own->config, "TOML file of options; the command line overrides it")
      .kind("FILE")
      .group(kGeneral);
  add_flag("--dump-config", own->dump, "print the options in effect as TOML, and exit")
      .group(kGeneral);
  return [own, &options, run = std::move(run), prepare = std::move(prepare)] {
    if (!own->config.empty()) options.read_toml(own->config);
    if (prepare) prepare();
    if (own->dump) {
      fmt::print("{}", options.to_toml());
      return;
    }
    if (verbosity() == Verbosity::verbose) {
      for (const Option& option : options.all()) {
        if (options.is_set(option.name())) {
          note(fmt::format("--{} = {}", option.name(), option.value_text()));
        }
      }
    }
    run();
  };
}

HelpRow CommandLine::row_of(const CLI::Option& option) const {
  HelpRow row{.help = option.get_description(),
              .section = option.get_group(),
              .required = option.get_required()};
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  const auto found = declared_.find(&option);
  if (found == declared_.end()) {
    for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
    if (names.empty()) names.push_back(option.get_name(true));
    const bool takes_value = option.get_items_expected_max() > 0 || option.get_positional();
    row.kind = takes_value && !option.get_lnames().empty() ? option.get_type_name() : "";
    row.default_text = option.get_default_str();
  } else {
    const Option& declared = *found->second;
    const bool is_flag = declared.is_flag();
    names.push_back(fmt::format("--{}{}", is_flag ? "[no-]" : "", declared.name()));
    if (!is_flag) row.kind = placeholder(declared);
    row.default_text = plain_default(declared);
    if (!declared.section().empty()) row.section = declared.section();
    row.required = declared.is_required();
  }
  row.names = join(names, ", ");
  return row;
}

HelpPage CommandLine::help() const {
  HelpPage page = page_;
  for (const CLI::Option* option : app_->get_options()) page.rows.push_back(row_of(*option));
  return page;
}

bool CommandLine::parse(int count, char** words) {
  try {
    app_->parse(count, words);
    if (quiet_ && verbose_) throw UsageError("--quiet and --verbose: it takes one of them at most");
    if (quiet_) set_verbosity(Verbosity::quiet);
    if (verbose_) set_verbosity(Verbosity::verbose);
    return true;
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", help_text(help()));
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
