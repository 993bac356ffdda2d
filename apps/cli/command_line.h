// SPDX-License-Identifier: Apache-2.0
// The command line of a verb: its arguments, its options, and what they are read into.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cli/help_page.h"
#include "heed/base/options.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace heed::cli {

// What a verb does once its command line is read. It prints its result on stdout and throws
// UsageError, DataError or InternalError; main turns these into a message and an exit code.
using Action = std::function<void()>;

// One argument; a handle, which its CommandLine must outlive.
class Argument {
 public:
  explicit Argument(CLI::Option* option) : option_(option) {}

  Argument& required();
  Argument& kind(const std::string& name);  // of value, in the help: "FILE"
  Argument& shows_default();
  Argument& range(int lowest, int highest);
  Argument& range(double lowest, double highest);
  Argument& needs(Argument other);
  Argument& group(const std::string& heading);  // under which the help lists it

  bool given() const;
  std::string name() const;                     // "--json", "NAME"
  std::vector<std::string> long_names() const;  // "json"; none of what has no dashes
  std::string help() const;

 private:
  CLI::Option* option_;
};

// CLI11 does the work and is known to command_line.cpp alone: a file that includes it takes five
// seconds to build.
class CommandLine {
 public:
  // `page` has all that help says but the rows, which are what is declared below; its name is in
  // messages, too: "heed translate". Every command line has --help, --quiet and --verbose.
  explicit CommandLine(HelpPage page);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  // Read into a variable that lives as long as this: "NAME" has its place. Options of a verb go
  // through with_options below; "--name" is for benchmarks, each of which has options of its own
  // that only it reads and that no config file keeps.
  Argument add(const std::string& name, std::string& value, const std::string& help);
  Argument add(const std::string& name, std::vector<std::string>& values, const std::string& help);
  Argument add(const std::string& name, int& value, const std::string& help);
  Argument add(const std::string& name, std::int64_t& value, const std::string& help);
  Argument add(const std::string& name, std::uint64_t& value, const std::string& help);
  Argument add(const std::string& name, double& value, const std::string& help);
  Argument add_flag(const std::string& name, bool& value, const std::string& help);
  std::vector<Argument> arguments() const;

  // Declares --NAME for each of the options, --config FILE and --dump-config for all of them, and
  // gives the verb's action: it reads the config file, then runs, or with --dump-config prints the
  // effective values. `run` must keep options alive:
  //
  //   auto options = std::make_shared<TrainOptions>();
  //   return line.with_options(options->list, [options] { train(*options); });
  //
  // `prepare` comes between reading and both: where presets fill in what is not set.
  Action with_options(Options& options, Action run, Action prepare = nullptr);

  // False when help was asked for, and printed. UsageError for what it cannot read, with the
  // nearest name of what there is.
  bool parse(int count, char** words);
  HelpPage help() const;

 private:
  template <typename Value>
  Argument add_value(const std::string& name, Value& value, const std::string& help);

  HelpRow row_of(const CLI::Option& option) const;

  HelpPage page_;
  std::unique_ptr<CLI::App> app_;
  std::map<const CLI::Option*, const Option*> declared_;  // those of with_options
  bool quiet_ = false;
  bool verbose_ = false;
};

}  // namespace heed::cli
