// SPDX-License-Identifier: Apache-2.0
// Options: declaring, checking, setting from the command line, dumping and comparing.
#include "heed/base/options.h"

#include <algorithm>
#include <cmath>

#include "heed/base/error.h"
#include "heed/base/text.h"

namespace heed {
namespace {

// A TOML basic string. Everything TOML does not allow as it is goes into \uXXXX.
std::string toml_string(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      result += fmt::format("\\u{:04X}", static_cast<unsigned>(c));
    } else {
      result += c;
    }
  }
  return result += '"';
}

struct TomlText {
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(std::int64_t value) const { return fmt::format("{}", value); }
  std::string operator()(double value) const {
    std::string text = fmt::format("{}", value);  // the shortest that reads back to the same bits
    // Without a point or an exponent TOML would read a whole number.
    return text.find_first_of(".en") == text.npos ? text + ".0" : text;
  }
  std::string operator()(const std::string& value) const { return toml_string(value); }
  std::string operator()(const std::vector<std::string>& values) const {
    std::vector<std::string> parts;
    for (const std::string& value : values) parts.push_back(toml_string(value));
    return fmt::format("[{}]", join(parts, ", "));
  }
};

std::string toml_text(const OptionValue& value) {
  return std::visit(TomlText(), value);
}

bool is_well_formed(std::string_view name) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  };
  return !name.empty() && name.front() != '-' && name.back() != '-' &&
         std::ranges::all_of(name, allowed);
}

bool is_utf8(const OptionValue& value) {
  const auto good = [](const std::string& text) { return invalid_utf8(text) == std::string::npos; };
  if (const auto* text = std::get_if<std::string>(&value)) return good(*text);
  if (const auto* list = std::get_if<std::vector<std::string>>(&value)) {
    return std::ranges::all_of(*list, good);
  }
  return true;
}

// The command line's words as a value of the kind `like` holds; false when they are not one.
bool parse_words(std::span<const std::string> words, const OptionValue& like, OptionValue& value) {
  if (std::holds_alternative<std::vector<std::string>>(like)) {
    value = std::vector<std::string>(words.begin(), words.end());
    return true;
  }
  if (words.size() != 1) return false;
  const std::string& word = words.front();
  try {
    if (std::holds_alternative<bool>(like)) {
      value = word == "true";
      return word == "true" || word == "false";
    }
    if (std::holds_alternative<std::int64_t>(like)) {
      value = parse_integer(word, "");
    } else if (std::holds_alternative<double>(like)) {
      value = parse_number(word, "");
    } else {
      value = word;
    }
  } catch (const UsageError&) {
    return false;  // the caller's message says more
  }
  return true;
}

}  // namespace

Option::Option(std::string name, std::string help, std::function<OptionValue()> get,
               std::function<void(const OptionValue&)> set)
    : name_(std::move(name)),
      help_(std::move(help)),
      get_(std::move(get)),
      set_(std::move(set)),
      default_(get_()),
      low_{-std::numeric_limits<double>::infinity()},
      high_{std::numeric_limits<double>::infinity()} {}

Option& Option::at_least(double limit) {
  low_ = {limit, true};
  return check_default();
}

Option& Option::at_most(double limit) {
  high_ = {limit, true};
  return check_default();
}

Option& Option::above(double limit) {
  low_ = {limit, false};
  return check_default();
}

Option& Option::below(double limit) {
  high_ = {limit, false};
  return check_default();
}

Option& Option::one_of(std::vector<std::string> names) {
  names_ = std::move(names);
  return check_default();
}

Option& Option::letter(char letter) {
  letter_ = letter;
  return *this;
}

Option& Option::kind(std::string name) {
  kind_ = std::move(name);
  return *this;
}

Option& Option::required() {
  required_ = true;
  return *this;
}

Option& Option::check_default() {
  if (!allows(default_)) {
    throw InternalError("option {}: the default {} is not {}", name_, default_text(), wants());
  }
  return *this;
}

std::string Option::value_text() const {
  return toml_text(value());
}

std::string Option::default_text() const {
  return toml_text(default_);
}

std::string Option::wants() const {
  if (is_flag()) return "true or false";
  if (is_list()) return "a list of texts";
  if (std::holds_alternative<std::string>(default_)) {
    return names_.empty() ? "a text" : fmt::format("one of {}", join(names_, ", "));
  }
  const bool whole = std::holds_alternative<std::int64_t>(default_);
  std::string text = whole ? "a whole number" : "a finite number";
  const bool low = std::isfinite(low_.value);
  const bool high = std::isfinite(high_.value);
  if (low && high && low_.included && high_.included) {
    return text + fmt::format(" from {} to {}", low_.value, high_.value);
  }
  if (low) text += fmt::format(" {} {}", low_.included ? "of at least" : "above", low_.value);
  if (low && high) text += " and";
  if (high) text += fmt::format(" {} {}", high_.included ? "of at most" : "below", high_.value);
  return text;
}

bool Option::allows(const OptionValue& value) const {
  if (value.index() != default_.index() || !is_utf8(value)) return false;
  if (const auto* text = std::get_if<std::string>(&value)) {
    return names_.empty() || std::ranges::count(names_, *text) > 0;
  }
  const auto within = [this](auto number) {
    return (low_.included ? number >= low_.value : number > low_.value) &&
           (high_.included ? number <= high_.value : number < high_.value);
  };
  if (const auto* number = std::get_if<double>(&value)) {
    return std::isfinite(*number) && within(*number);
  }
  if (const auto* number = std::get_if<std::int64_t>(&value)) {
    // Exact beyond 2^53 too: a long double of x86 holds every 64-bit number.
    return within(static_cast<long double>(*number));
  }
  return true;
}

void Option::require(const OptionValue& value, std::string_view where) const {
  if (allows(value)) return;
  const std::string* word = std::get_if<std::string>(&value);
  throw UsageError("{} is {}: it takes {}{}", where,
                   is_utf8(value) ? toml_text(value) : "not UTF-8", wants(),
                   word != nullptr ? did_you_mean(*word, names_) : "");
}

void Option::assign(const OptionValue& value, Source source, std::string_view where) {
  require(value, where);
  if (source < source_) return;
  set_(value);
  source_ = source;
}

Option& Options::add(std::string name, bool& variable, std::string help) {
  return declare(
      std::move(name), std::move(help), [&variable] { return variable; },
      [&variable](const OptionValue& value) { variable = std::get<bool>(value); });
}

Option& Options::add(std::string name, double& variable, std::string help) {
  return declare(
      std::move(name), std::move(help), [&variable] { return variable; },
      [&variable](const OptionValue& value) { variable = std::get<double>(value); });
}

Option& Options::add(std::string name, std::string& variable, std::string help) {
  return declare(
      std::move(name), std::move(help), [&variable] { return variable; },
      [&variable](const OptionValue& value) { variable = std::get<std::string>(value); });
}

Option& Options::add(std::string name, std::vector<std::string>& variable, std::string help) {
  return declare(
      std::move(name), std::move(help), [&variable] { return variable; },
      [&variable](const OptionValue& value) {
        variable = std::get<std::vector<std::string>>(value);
      });
}

Option& Options::declare(std::string name, std::string help, std::function<OptionValue()> get,
                         std::function<void(const OptionValue&)> set) {
  if (!is_well_formed(name)) {
    throw InternalError("option \"{}\": a name is lower-case letters, digits and '-'", name);
  }
  if (find(name) != nullptr) throw InternalError("option {}: declared twice", name);
  options_.push_back(Option(std::move(name), std::move(help), std::move(get), std::move(set)));
  options_.back().section_ = section_;
  return options_.back();
}

const Option* Options::find(std::string_view name) const {
  const auto place = std::ranges::find(options_, name, &Option::name);
  return place == options_.end() ? nullptr : &*place;
}

Option& Options::at(std::string_view name) {
  const auto place = std::ranges::find(options_, name, &Option::name);
  if (place == options_.end()) {
    throw UsageError("there is no option \"{}\"{}", name, did_you_mean(name, names()));
  }
  return *place;
}

std::vector<std::string> Options::names() const {
  std::vector<std::string> names;
  for (const Option& option : options_) names.push_back(option.name());
  return names;
}

void Options::set(std::string_view name, std::span<const std::string> words) {
  Option& option = at(name);
  OptionValue value;
  if (!parse_words(words, option.default_, value)) {
    throw UsageError("--{} is \"{}\": it takes {}", name, join(words, " "), option.wants());
  }
  option.assign(value, Option::Source::kCommandLine, fmt::format("--{}", name));
}

bool Options::is_set(std::string_view name) const {
  const Option* option = find(name);
  if (option == nullptr) return false;
  return option->source_ != Option::Source::kDefault || option->get_() != option->default_;
}

std::string Options::to_toml() const {
  std::string text;
  for (const Option& option : options_) {
    for (std::string_view line : split(option.help(), '\n')) text += fmt::format("# {}\n", line);
    text += fmt::format("{} = {}\n\n", option.name(), option.value_text());
  }
  if (!text.empty()) text.pop_back();  // no empty line at the end
  return text;
}

std::vector<Options::Difference> Options::differences(const Options& other) const {
  std::vector<Difference> result;
  for (const Option& mine : options_) {
    const Option* theirs = other.find(mine.name());
    if (theirs == nullptr || theirs->value() != mine.value()) {
      result.push_back(
          {mine.name(), mine.value_text(), theirs == nullptr ? "" : theirs->value_text()});
    }
  }
  for (const Option& theirs : other.options_) {
    if (find(theirs.name()) == nullptr) {
      result.push_back({theirs.name(), "", theirs.value_text()});
    }
  }
  return result;
}

}  // namespace heed
