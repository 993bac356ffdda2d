// SPDX-License-Identifier: Apache-2.0
// Options of parts as they are written, and promises in words.
#include "heed/attention/written/catalogue.h"

#include <map>

#include "heed/attention/written/caret.h"
#include "heed/base/error.h"
#include "heed/base/text.h"

namespace heed::attention {
namespace {

std::vector<std::string> names_of(const Options& options) {
  std::vector<std::string> names;
  for (const Option& option : options.all()) names.push_back(option.name());
  return names;
}

// As the grammar of spec.h has names and numbers.
bool is_plain_name(std::string_view text) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !text.empty() && letter(text.front()) && std::ranges::all_of(text, [&](char c) {
    return letter(c) || (c >= '0' && c <= '9') || c == '-';
  });
}
bool is_plain_number(const std::string& text) {
  if (text.empty() || std::string_view("0123456789-.+").find(text.front()) == text.npos) {
    return false;
  }
  try {
    parse_number(text, "");
  } catch (const UsageError&) {
    return false;
  }
  return true;
}

std::string text_of(const Argument& argument) {
  if (argument.list.empty()) return fmt::format("\"{}\"", argument.value);
  return fmt::format("[{}]", join(argument.list, ", "));
}

// The option an argument means: by name, or the first that has not been given yet and can take it.
const Option& option_for(const Options& options, std::string_view part, const Argument& argument,
                         const std::map<std::string, std::vector<std::string>>& given) {
  const std::vector<std::string> names = names_of(options);
  const std::string takes = names.empty() ? "none" : join(names, ", ");
  if (!argument.name.empty()) {
    const Option* option = options.find(argument.name);
    if (option != nullptr) return *option;
    throw UsageError("{}: there is no option \"{}\"{}; it takes {}", part, argument.name,
                     did_you_mean(argument.name, names), takes);
  }
  for (const Option& option : options.all()) {
    if (!argument.list.empty() && !option.is_list()) continue;
    if (option.is_list() || !given.contains(option.name())) return option;
  }
  throw UsageError("{}: no option is left for {}; it takes {}", part, text_of(argument), takes);
}

void set_option(Options& options, std::string_view part, const Argument& argument,
                std::map<std::string, std::vector<std::string>>& given) {
  const Option& option = option_for(options, part, argument, given);
  if (given.contains(option.name()) && !option.is_list()) {
    throw UsageError("{}: option \"{}\" is given twice", part, option.name());
  }
  std::vector<std::string>& words = given[option.name()];  // a list grows with every argument
  if (argument.list.empty()) words.push_back(argument.value);
  words.insert(words.end(), argument.list.begin(), argument.list.end());
  try {
    options.set(option.name(), words);
  } catch (const UsageError& error) {
    if (option.reads_text()) throw UsageError("{}: {}: {}", part, option.name(), error.what());
    throw UsageError("{}: {} is {}: it takes {}{}", part, option.name(), text_of(argument),
                     option.wants(), did_you_mean(argument.value, option.names()));
  }
}

}  // namespace

void refuse_twice(std::string_view name) {
  throw UsageError(
      "{}: two parts of this name are listed; give one of them another name in its card, or link "
      "only one of them",
      name);
}

std::string promise_text(Promise promise) {
  switch (promise) {
    case Promise::sums_to_one:
      return "sums to one";
    case Promise::sums_to_k:
      return "sums to k";
    case Promise::in_unit_interval:
      return "between 0 and 1";
    case Promise::shift_invariant:
      return "shift invariant";
    case Promise::permutation_equivariant:
      return "permutation equivariant";
    case Promise::reversal_equivariant:
      return "reversal equivariant";
    case Promise::reverses_with_queries:
      return "reverses with its queries";
    case Promise::symmetric_jacobian:
      return "symmetric Jacobian";
    case Promise::sparse:
      return "sparse";
    case Promise::breaks_ties:
      return "breaks ties";
    case Promise::random:
      return "random";
    case Promise::may_be_negative:
      return "may be negative";
    case Promise::surrogate_gradient:
      return "surrogate gradient";
    case Promise::has_temperature:
      return "temperature";
    case Promise::whole_matrix:
      return "whole matrix";
    case Promise::first_keys:
      return "first keys";
  }
  throw InternalError("promise {} has no text", static_cast<int>(promise));
}

void set_options(Options& options, std::string_view part, std::span<const Argument> arguments,
                 std::string_view written) {
  std::map<std::string, std::vector<std::string>> given;
  for (const Argument& argument : arguments) {
    try {
      set_option(options, part, argument, given);
    } catch (const UsageError& error) {
      if (written.empty()) throw;
      throw UsageError(with_caret(error.what(), written, argument.place));
    }
  }
}

std::string written_value(const std::string& value) {
  return is_plain_name(value) || is_plain_number(value) ? value : fmt::format("\"{}\"", value);
}

std::string written_form(std::string_view part, const Options& options, const Options& defaults) {
  std::vector<std::string> changed;
  for (const Option& option : options.all()) {
    const Option* fresh = defaults.find(option.name());
    if (fresh != nullptr && fresh->value() == option.value()) continue;
    const OptionValue value = option.value();
    if (const auto* text = std::get_if<std::string>(&value)) {
      changed.push_back(fmt::format("{}={}", option.name(), written_value(*text)));
    } else if (const auto* texts = std::get_if<std::vector<std::string>>(&value)) {
      std::vector<std::string> values;
      for (const std::string& one : *texts) values.push_back(written_value(one));
      changed.push_back(fmt::format("{}=[{}]", option.name(), join(values, ", ")));
    } else {
      changed.push_back(fmt::format("{}={}", option.name(), option.value_text()));
    }
  }
  return changed.empty() ? std::string(part) : fmt::format("{}({})", part, join(changed, ", "));
}

}  // namespace heed::attention
