// SPDX-License-Identifier: Apache-2.0
// Types and limits of options, as JSON has them.
#include "server/api/option_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "heed/base/error.h"

namespace heed::server {
namespace {

using nlohmann::json;

// The largest whole number that every reader of JSON keeps.
constexpr double kMostWhole = 9007199254740992.0;

std::string field_name(std::string name) {
  std::ranges::replace(name, '-', '_');
  return name;
}

}  // namespace

Field field_of(const Options& options, const std::string& name) {
  const Option* option = options.find(name);
  if (option == nullptr) throw InternalError("field of an option: there is no --{}", name);
  Field field{.name = field_name(name), .help = option->help()};
  const OptionValue value = option->value();
  if (const auto* flag = std::get_if<bool>(&value)) {
    field.kind = FieldKind::flag;
    field.otherwise = *flag;
  } else if (const auto* text = std::get_if<std::string>(&value)) {
    field.choices = option->names();
    field.kind = field.choices.empty() ? FieldKind::text : FieldKind::choice;
    field.otherwise = *text;
  } else if (const auto* whole = std::get_if<std::int64_t>(&value)) {
    field.kind = FieldKind::whole;
    field.otherwise = *whole;
  } else if (const auto* number = std::get_if<double>(&value)) {
    field.kind = FieldKind::number;
    field.otherwise = *number;
  } else {
    field.kind = FieldKind::texts;
  }
  if (std::isfinite(option->low().value)) field.least = option->low().value;
  field.above = !option->low().included;
  if (std::isfinite(option->high().value)) field.most = option->high().value;
  if (field.kind == FieldKind::whole)
    field.most = std::min(field.most.value_or(kMostWhole), kMostWhole);
  return field;
}

void set_from(const json& body, Options& options) {
  for (const Option& option : options.all()) {
    const auto field = body.find(field_name(option.name()));
    if (field == body.end()) continue;
    if (option.is_list()) {
      options.set(option.name(), field->is_string()
                                     ? std::vector<std::string>{field->get<std::string>()}
                                     : field->get<std::vector<std::string>>());
      continue;
    }
    // 3.0 is whole too.
    const bool whole = std::holds_alternative<std::int64_t>(option.value());
    const std::string word = field->is_string() ? field->get<std::string>()
                             : whole            ? fmt::format("{}", field->get<std::int64_t>())
                                                : field->dump();
    options.set(option.name(), std::span(&word, 1));
  }
}

}  // namespace heed::server
