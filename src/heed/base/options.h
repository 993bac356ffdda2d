// SPDX-License-Identifier: Apache-2.0
// Options: named variables of a program, set from TOML files and the command line, checked, dumped.
//
//   struct TrainOptions {
//     std::int64_t steps = 1000;
//     double rate = 1e-3;
//     std::string optimiser = "adam";
//     Options list;
//     TrainOptions() {
//       list.add("steps", steps, "how many updates to make").at_least(1);
//       list.add("learning-rate", rate, "size of an update").above(0);
//       list.add("optimiser", optimiser, "update rule").one_of({"adam", "sgd"});
//     }
//   };
//
// A config key is the option's name. What the command line says counts, whatever a file says and
// whichever is read first. A value is checked when it is set, so that the variables always hold
// allowed ones.
#pragma once  // public header

#include <concepts>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#pragma GCC visibility push(default)  // exported

namespace heed {

using OptionValue = std::variant<bool, std::int64_t, double, std::string, std::vector<std::string>>;

// A variable of a type that reads its own text: read() takes it or throws a UsageError that says
// what is wrong with it, and read(text()) changes nothing.
template <typename V>
concept ReadsText = requires(V variable, const V& fixed, const std::string& text) {
  { fixed.text() } -> std::convertible_to<std::string>;
  variable.read(text);
};

// One option: a name bound to a variable, whose value at declaration is the default.
class Option {
 public:
  // Limits of a number; a default outside them is an InternalError. `at_least` and `at_most`
  // include the limit, `above` and `below` do not.
  Option& at_least(double limit);
  Option& at_most(double limit);
  Option& above(double limit);
  Option& below(double limit);
  Option& range(double low, double high) { return at_least(low).at_most(high); }

  // The allowed values of a text.
  Option& one_of(std::vector<std::string> names);

  // What help says besides: the letter of a short form ('o' for -o), what kind of value it takes
  // ("FILE"), and that there is no doing without it, which the program checks itself.
  Option& letter(char letter);
  Option& kind(std::string name);
  Option& required();

  const std::string& name() const { return name_; }
  const std::string& help() const { return help_; }
  const std::vector<std::string>& names() const { return names_; }  // of one_of; else empty
  const std::string& section() const { return section_; }  // of help; empty: none was named
  char letter() const { return letter_; }                  // '\0': none
  const std::string& kind() const { return kind_; }        // empty: what follows from its type
  bool is_required() const { return required_; }
  bool is_flag() const { return std::holds_alternative<bool>(default_); }
  bool is_list() const { return std::holds_alternative<std::vector<std::string>>(default_); }
  bool reads_text() const { return reads_text_; }  // whether its variable ReadsText

  struct Limit {
    double value = 0;  // infinite: there is none
    bool included = true;
  };
  const Limit& low() const { return low_; }
  const Limit& high() const { return high_; }

  OptionValue value() const { return get_(); }
  const OptionValue& default_value() const { return default_; }
  std::string value_text() const;    // the value as TOML writes it
  std::string default_text() const;  // the default likewise
  std::string wants() const;         // "a whole number from 1 to 10", "one of adam, sgd"

 private:
  friend class Options;
  enum class Source { kDefault, kFile, kCommandLine };

  Option(std::string name, std::string help, std::function<OptionValue()> get,
         std::function<void(const OptionValue&)> set);

  // Throws a UsageError that opens with `where` unless the value is allowed.
  void require(const OptionValue& value, std::string_view where) const;
  // The same, then stores the value unless a stronger source has spoken.
  void assign(const OptionValue& value, Source source, std::string_view where);
  bool allows(const OptionValue& value) const;
  Option& check_default();

  std::string name_;
  std::string help_;
  std::function<OptionValue()> get_;
  std::function<void(const OptionValue&)> set_;
  OptionValue default_;
  Limit low_;
  Limit high_;
  std::vector<std::string> names_;
  std::string section_{};
  std::string kind_{};
  char letter_ = '\0';
  bool required_ = false;
  bool reads_text_ = false;
  Source source_ = Source::kDefault;
};

class Options {
 public:
  Options() = default;
  Options(const Options&) = delete;  // the variables are elsewhere, and a copy would share them
  Options& operator=(const Options&) = delete;

  // Declares an option. The variable must outlive this. Names are lower-case words joined by '-';
  // a name that is taken or ill-formed is an InternalError.
  Option& add(std::string name, bool& variable, std::string help);
  Option& add(std::string name, double& variable, std::string help);
  Option& add(std::string name, std::string& variable, std::string help);
  Option& add(std::string name, std::vector<std::string>& variable, std::string help);
  // Whole numbers of any type; its range is the option's first limit. Values stay below 2^63.
  template <std::integral Whole>
  Option& add(const std::string& name, Whole& variable, const std::string& help);
  // An enumeration whose enumerators 0, 1, ... have these names.
  template <typename Enum>
  requires std::is_enum_v<Enum> Option& add(const std::string& name, Enum& variable,
                                            const std::vector<std::string>& names,
                                            const std::string& help);
  // What reads itself; a text it refuses is refused with its own words.
  template <ReadsText Variable>
  Option& add(const std::string& name, Variable& variable, const std::string& help);

  // The heading in help of all options declared from now on: "Data".
  void section(std::string heading) { section_ = std::move(heading); }

  // In the order of declaration.
  const std::deque<Option>& all() const { return options_; }
  const Option* find(std::string_view name) const;
  std::vector<std::string> names() const;

  // Reads a config file. UsageError with file, line and column for a syntax error, an unknown key
  // (naming the nearest), a wrong type and a value that is not allowed; the table [recipe] is the
  // only one there may be, and is skipped. Nothing is set when anything is wrong.
  void read_toml(const std::filesystem::path& path);
  void read_toml_text(std::string_view text, std::string_view name);

  // What the command line gives: the words after --NAME; one, or any number for a list. A flag
  // takes "true" or "false".
  void set(std::string_view name, std::span<const std::string> words);

  // Whether a file, the command line or the program has set it: the last by giving its variable
  // another value than the default.
  bool is_set(std::string_view name) const;

  // The effective values as a TOML file with the help as comments; reading it back gives the same
  // values to the last bit.
  std::string to_toml() const;

  struct Difference {
    std::string name;
    std::string here;  // as TOML writes it; empty: no such option
    std::string there;
  };
  // The options whose values differ, and those that only one side has.
  std::vector<Difference> differences(const Options& other) const;

 private:
  Option& declare(std::string name, std::string help, std::function<OptionValue()> get,
                  std::function<void(const OptionValue&)> set);
  Option& at(std::string_view name);

  std::deque<Option> options_;  // references to its elements stay valid
  std::string section_;
};

template <std::integral Whole>
inline Option& Options::add(const std::string& name, Whole& variable, const std::string& help) {
  Option& option = declare(
      name, help, [&variable] { return static_cast<std::int64_t>(variable); },
      [&variable](const OptionValue& value) {
        variable = static_cast<Whole>(std::get<std::int64_t>(value));
      });
  if constexpr (sizeof(Whole) < sizeof(std::int64_t)) {
    option.range(std::numeric_limits<Whole>::min(), std::numeric_limits<Whole>::max());
  } else if constexpr (std::is_unsigned_v<Whole>) {
    option.at_least(0);
  }
  return option;
}

template <typename Enum>
requires std::is_enum_v<Enum>
inline Option& Options::add(const std::string& name, Enum& variable,
                            const std::vector<std::string>& names, const std::string& help) {
  const auto get = [&variable, names] { return names.at(static_cast<std::size_t>(variable)); };
  const auto set = [&variable, names](const OptionValue& value) {
    const auto& text = std::get<std::string>(value);
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i] == text) variable = static_cast<Enum>(i);
    }
  };
  return declare(name, help, get, set).one_of(names);
}

template <ReadsText Variable>
inline Option& Options::add(const std::string& name, Variable& variable, const std::string& help) {
  Option& option = declare(
      name, help, [&variable] { return std::string(variable.text()); },
      [&variable](const OptionValue& value) { variable.read(std::get<std::string>(value)); });
  option.reads_text_ = true;
  return option;
}

}  // namespace heed

#pragma GCC visibility pop
