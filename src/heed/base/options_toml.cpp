// SPDX-License-Identifier: Apache-2.0
// Reading options from TOML: every complaint names file, line and column.
#include "heed/base/options.h"

#include <toml++/toml.h>

#include <algorithm>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/text.h"

namespace heed {
namespace {

std::string place(std::string_view name, const toml::source_region& region) {
  return fmt::format("{}:{}:{}", name, region.begin.line, region.begin.column);
}

std::string kind_of(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::table:
      return "a table";
    case toml::node_type::array:
      return "a list";
    case toml::node_type::string:
      return "a text";
    case toml::node_type::integer:
      return "a whole number";
    case toml::node_type::floating_point:
      return "a number with a fraction";
    case toml::node_type::boolean:
      return "true or false";
    default:
      return "a date or time";
  }
}

[[noreturn]] void wrong_type(const std::string& where, const Option& option,
                             const toml::node& found) {
  throw UsageError("{}: {} is {}: it takes {}", where, option.name(), kind_of(found),
                   option.wants());
}

std::vector<std::string> list_of(const toml::array& array, const Option& option,
                                 std::string_view name) {
  std::vector<std::string> texts;
  for (const toml::node& node : array) {
    const auto text = node.value_exact<std::string>();
    if (!text) {
      throw UsageError("{}: {} holds {}: it takes {}", place(name, node.source()), option.name(),
                       kind_of(node), option.wants());
    }
    texts.push_back(*text);
  }
  return texts;
}

// The node's value, of the kind the option holds.
OptionValue value_of(const toml::node& node, const Option& option, std::string_view name) {
  const OptionValue like = option.value();
  if (std::holds_alternative<bool>(like)) {
    if (const auto value = node.value_exact<bool>()) return *value;
  } else if (std::holds_alternative<std::int64_t>(like)) {
    if (const auto value = node.value_exact<std::int64_t>()) return *value;
  } else if (std::holds_alternative<double>(like)) {
    if (const auto value = node.value_exact<double>()) return *value;
    if (const auto value = node.value_exact<std::int64_t>()) return static_cast<double>(*value);
  } else if (std::holds_alternative<std::string>(like)) {
    if (const auto value = node.value_exact<std::string>()) return *value;
  } else if (const toml::array* array = node.as_array()) {
    return list_of(*array, option, name);
  }
  wrong_type(place(name, node.source()), option, node);
}

}  // namespace

void Options::read_toml(const std::filesystem::path& path) {
  read_toml_text(read_file(path), path.string());
}

void Options::read_toml_text(std::string_view text, std::string_view name) {
  toml::table table;
  try {
    table = toml::parse(text);
  } catch (const toml::parse_error& error) {
    throw UsageError("{}: {}", place(name, error.source()), error.description());
  }
  // Two passes, check then set: a bad file sets nothing.
  for (const bool setting : {false, true}) {
    for (const auto& [key, node] : table) {
      if (key == "recipe" && node.is_table()) continue;
      const auto option = std::ranges::find(options_, key.str(), &Option::name);
      if (option == options_.end()) {
        throw UsageError("{}: there is no {} \"{}\"{}", place(name, key.source()),
                         node.is_table() ? "table" : "option", key.str(),
                         did_you_mean(key.str(), names()));
      }
      const OptionValue value = value_of(node, *option, name);
      const std::string where = fmt::format("{}: {}", place(name, node.source()), option->name());
      if (setting) {
        option->assign(value, Option::Source::kFile, where);
      } else {
        option->require(value, where);
      }
    }
  }
}

}  // namespace heed
