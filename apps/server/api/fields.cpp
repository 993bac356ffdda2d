// SPDX-License-Identifier: Apache-2.0
// A body is parsed with its depth and its keys watched, then held against the table.
#include "server/api/fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "heed/base/text.h"
#include "heed/tensor/real.h"
#include "server/http/http_error.h"

namespace heed::server {
namespace {

using nlohmann::json;

constexpr int kDeepest = 8;

[[noreturn]] void refuse(const std::string& where, const std::string& message) {
  throw HttpError({.status = 400, .where = where}, message);
}

// '~' and '/' have a meaning in a JSON pointer.
std::string pointer_to(const std::string& key) {
  std::string pointer = "/";
  for (const char letter : key) {
    if (letter == '~') {
      pointer += "~0";
    } else if (letter == '/') {
      pointer += "~1";
    } else {
      pointer += letter;
    }
  }
  return pointer;
}

json parse_strictly(const std::string& body) {
  // nlohmann's reader keeps the last of two equal keys in silence, and any depth.
  std::vector<std::set<std::string>> keys;
  const auto watch = [&](int depth, json::parse_event_t event, json& parsed) {
    if (depth > kDeepest) refuse("", fmt::format("the body is nested deeper than {}", kDeepest));
    if (event == json::parse_event_t::object_start) keys.emplace_back();
    if (event == json::parse_event_t::object_end) keys.pop_back();
    if (event == json::parse_event_t::key) {
      const auto& key = parsed.get_ref<const std::string&>();
      if (!keys.back().insert(key).second) {
        refuse(pointer_to(key), fmt::format("\"{}\" is given twice", key));
      }
    }
    return true;
  };
  try {
    return json::parse(body, watch);
  } catch (const json::exception& error) {
    // "[json.exception.parse_error.101] parse error at line 1, column 3: ..."
    const std::string_view text = error.what();
    const std::size_t end = text.find("] ");
    refuse("", fmt::format("the body is not JSON: {}",
                           end == std::string_view::npos ? text : text.substr(end + 2)));
  }
}

std::string name_of(FieldKind kind) {
  switch (kind) {
    case FieldKind::text:
      return "a text";
    case FieldKind::texts:
      return "a text, or a list of texts";
    case FieldKind::flag:
      return "true or false";
    case FieldKind::whole:
      return "a whole number";
    case FieldKind::number:
      return "a number";
    case FieldKind::choice:
      return "one of the names allowed";
    case FieldKind::wholes:
      return "a list of whole numbers";
    case FieldKind::numbers:
      return "numbers in lists, two to four deep and of equal lengths";
    case FieldKind::flags:
      return "true and false in lists, two to four deep and of equal lengths";
  }
  return {};
}

std::string wants(const Field& field) {
  if (field.kind == FieldKind::choice) return "one of " + join(field.choices, ", ");
  std::string text = name_of(field.kind);
  if (field.least && field.most && !field.above) {
    text += fmt::format(" from {} to {}", *field.least, *field.most);
  } else {
    if (field.least) {
      text += field.above ? fmt::format(" above {}", *field.least)
                          : fmt::format(" of {} or more", *field.least);
    }
    if (field.most) text += fmt::format("{} at most {}", field.least ? "," : " of", *field.most);
  }
  return text;
}

bool in_range(const Field& field, double value) {
  if (!std::isfinite(value)) return false;
  if (field.least && (field.above ? value <= *field.least : value < *field.least)) return false;
  return !field.most || value <= *field.most;
}

// Whether a tensor can hold it: 1e300 would become an infinity.
bool is_finite_real(double value) {
  return std::abs(value) <= static_cast<double>(std::numeric_limits<Real>::max());
}

// A rectangle of numbers or flags: the sizes of its sides in `sizes`.
bool is_rectangle(const json& value, bool flags, std::size_t depth,
                  std::vector<std::size_t>& sizes) {
  if (!value.is_array()) {
    const bool fits = flags ? value.is_boolean() : value.is_number();
    return fits && depth == sizes.size() && (flags || is_finite_real(value.get<double>()));
  }
  if (depth == sizes.size()) sizes.push_back(value.size());
  if (depth >= 4 || value.size() != sizes[depth]) return false;
  return std::ranges::all_of(
      value, [&](const json& inner) { return is_rectangle(inner, flags, depth + 1, sizes); });
}

bool is_whole(const json& value) {
  return value.is_number_integer() &&
         (!value.is_number_unsigned() || value.get<std::uint64_t>() <= std::uint64_t{1} << 62);
}

bool holds_nul(const json& value) {
  if (value.is_string()) return value.get_ref<const std::string&>().find('\0') != std::string::npos;
  return value.is_array() && std::ranges::any_of(value, holds_nul);
}

bool fits(const Field& field, const json& value) {
  const auto is_text = [](const json& one) { return one.is_string(); };
  switch (field.kind) {
    case FieldKind::text:
      return is_text(value);
    case FieldKind::texts:
      return is_text(value) ||
             (value.is_array() && !value.empty() && std::ranges::all_of(value, is_text));
    case FieldKind::flag:
      return value.is_boolean();
    case FieldKind::whole:
      return is_whole(value) && in_range(field, value.get<double>());
    case FieldKind::number:
      return value.is_number() && in_range(field, value.get<double>());
    case FieldKind::choice:
      return is_text(value) && std::ranges::count(field.choices, value.get<std::string>()) > 0;
    case FieldKind::wholes:
      return value.is_array() && std::ranges::all_of(value, [&](const json& one) {
               return is_whole(one) && in_range(field, one.get<double>());
             });
    case FieldKind::numbers:
    case FieldKind::flags: {
      std::vector<std::size_t> sizes;
      return value.is_array() && is_rectangle(value, field.kind == FieldKind::flags, 0, sizes) &&
             sizes.size() >= 2;
    }
  }
  return false;
}

json range_schema(const Field& field, const char* type) {
  json schema = {{"type", type}};
  if (field.least) schema[field.above ? "exclusiveMinimum" : "minimum"] = *field.least;
  if (field.most) schema["maximum"] = *field.most;
  return schema;
}

json rectangle_schema(const char* type) {
  json schema = {{"type", type}};
  json either = json::array();
  for (int depth = 1; depth <= 4; ++depth) {
    schema = {{"type", "array"}, {"items", schema}};
    if (depth >= 2) either.push_back(schema);
  }
  return {{"anyOf", either}};
}

}  // namespace

json read_fields(const std::string& body, std::span<const Field> fields) {
  json given = parse_strictly(body);
  if (!given.is_object()) refuse("", "the body is no JSON object; it takes {\"NAME\": VALUE, ...}");
  std::vector<std::string> names;
  for (const Field& field : fields) names.push_back(field.name);
  for (const auto& [key, value] : given.items()) {
    if (std::ranges::count(names, key) > 0) continue;
    refuse(pointer_to(key), fmt::format("there is no field \"{}\"{}; there are {}", key,
                                        did_you_mean(key, names), join(names, ", ")));
  }
  for (const Field& field : fields) {
    const std::string where = pointer_to(field.name);
    if (field.nullable && given.contains(field.name) && given[field.name].is_null()) {
      given.erase(field.name);
    }
    if (!given.contains(field.name)) {
      if (field.required) {
        refuse(where, fmt::format("\"{}\" is missing; it takes {}", field.name, wants(field)));
      }
      if (!field.otherwise.is_null()) given[field.name] = field.otherwise;
      continue;
    }
    if (!fits(field, given[field.name])) {
      const std::string found = shorten(given[field.name].dump(), 60);
      refuse(where, fmt::format("\"{}\" is {}: it takes {}", field.name, found, wants(field)));
    }
    if (holds_nul(given[field.name])) {
      refuse(where, fmt::format("\"{}\" holds NUL, which no text does", field.name));
    }
  }
  return given;
}

json schema_of(const Field& field) {
  json schema;
  switch (field.kind) {
    case FieldKind::text:
      schema = {{"type", "string"}};
      break;
    case FieldKind::texts:
      schema = {{"anyOf",
                 {{{"type", "string"}},
                  {{"type", "array"}, {"items", {{"type", "string"}}}, {"minItems", 1}}}}};
      break;
    case FieldKind::flag:
      schema = {{"type", "boolean"}};
      break;
    case FieldKind::whole:
      schema = range_schema(field, "integer");
      break;
    case FieldKind::number:
      schema = range_schema(field, "number");
      break;
    case FieldKind::choice:
      schema = {{"type", "string"}, {"enum", field.choices}};
      break;
    case FieldKind::wholes:
      schema = {{"type", "array"}, {"items", range_schema(field, "integer")}};
      break;
    case FieldKind::numbers:
      schema = rectangle_schema("number");
      break;
    case FieldKind::flags:
      schema = rectangle_schema("boolean");
      break;
  }
  if (field.nullable) schema = {{"anyOf", {schema, {{"type", "null"}}}}};
  schema["description"] = field.help;
  if (!field.otherwise.is_null()) schema["default"] = field.otherwise;
  if (!field.example.is_null()) schema["examples"] = {field.example};
  return schema;
}

}  // namespace heed::server
