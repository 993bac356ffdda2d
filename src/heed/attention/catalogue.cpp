// SPDX-License-Identifier: Apache-2.0
// Options of parts as they are written, and promises in words.
#include "heed/attention/catalogue.h"

#include "heed/base/error.h"
#include "heed/base/text.h"

namespace heed::attention {
namespace {

std::vector<std::string> names_of(const Options& options) {
  std::vector<std::string> names;
  for (const Option& option : options.all()) names.push_back(option.name());
  return names;
}

// The option an argument means: by name, or the first that has not been given yet.
const Option& option_for(const Options& options, std::string_view part, const Argument& argument,
                         const std::vector<std::string>& given) {
  const std::vector<std::string> names = names_of(options);
  if (!argument.name.empty()) {
    const Option* option = options.find(argument.name);
    if (option == nullptr) {
      throw UsageError("{}: there is no option \"{}\"{}; it takes {}", part, argument.name,
                       did_you_mean(argument.name, names),
                       names.empty() ? "none" : join(names, ", "));
    }
    return *option;
  }
  for (const Option& option : options.all()) {
    const bool taken = std::ranges::find(given, option.name()) != given.end();
    if (!taken || option.is_list()) return option;
  }
  throw UsageError("{}: no option is left for the value \"{}\"; it takes {}", part, argument.value,
                   names.empty() ? "none" : join(names, ", "));
}

}  // namespace

std::string promise_text(Promise promise) {
  switch (promise) {
    case Promise::sums_to_one:
      return "sums to one";
    case Promise::shift_invariant:
      return "shift invariant";
    case Promise::permutation_equivariant:
      return "permutation equivariant";
    case Promise::reversal_equivariant:
      return "reversal equivariant";
    case Promise::symmetric_jacobian:
      return "symmetric Jacobian";
    case Promise::sparse:
      return "sparse";
    case Promise::random:
      return "random";
    case Promise::has_temperature:
      return "temperature";
  }
  throw InternalError("promise {} has no text", static_cast<int>(promise));
}

void set_options(Options& options, std::string_view part, std::span<const Argument> arguments) {
  std::vector<std::string> given;
  std::vector<std::string> list;  // values of the list option, which takes several
  for (const Argument& argument : arguments) {
    const Option& option = option_for(options, part, argument, given);
    const bool again = std::ranges::find(given, option.name()) != given.end();
    if (again && !option.is_list()) {
      throw UsageError("{}: option \"{}\" is given twice", part, option.name());
    }
    given.push_back(option.name());
    try {
      if (option.is_list()) {
        list.push_back(argument.value);
        options.set(option.name(), list);
      } else {
        const std::vector<std::string> words{argument.value};
        options.set(option.name(), words);
      }
    } catch (const UsageError&) {
      throw UsageError("{}: {} is \"{}\": it takes {}", part, option.name(), argument.value,
                       option.wants());
    }
  }
}

std::string written_form(std::string_view part, const Options& options, const Options& defaults) {
  std::vector<std::string> changed;
  for (const Option& option : options.all()) {
    const Option* fresh = defaults.find(option.name());
    if (fresh != nullptr && fresh->value() == option.value()) continue;
    const OptionValue value = option.value();
    if (const auto* text = std::get_if<std::string>(&value)) {
      changed.push_back(fmt::format("{}={}", option.name(), *text));
    } else if (const auto* texts = std::get_if<std::vector<std::string>>(&value)) {
      for (const std::string& each : *texts)
        changed.push_back(fmt::format("{}={}", option.name(), each));
    } else {
      changed.push_back(fmt::format("{}={}", option.name(), option.value_text()));
    }
  }
  return changed.empty() ? std::string(part) : fmt::format("{}({})", part, join(changed, ", "));
}

}  // namespace heed::attention
