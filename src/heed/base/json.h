// SPDX-License-Identifier: Apache-2.0
// JSON that somebody else wrote: read whole, strictly, and asked for by place, so that every
// refusal says where in which file it found what.
//
//   const Json config = Json::parse(read_file(path), path);
//   const JsonPlace root(config, path);
//   root.at("hidden_size").whole(1, 65536);
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "heed/base/error.h"

#pragma GCC visibility push(default)  // exported

namespace heed {

class Json {
 public:
  using List = std::vector<Json>;
  using Member = std::pair<std::string, Json>;
  using Object = std::vector<Member>;  // in the order of the file

  // Values nested deeper than any file of this kind has; a reader of foreign files stops there.
  static constexpr int kMostLevels = 64;

  Json() = default;
  Json(bool truth) : value(truth) {}
  Json(std::int64_t whole) : value(whole) {}
  Json(int whole) : value(std::int64_t{whole}) {}
  Json(double number) : value(number) {}
  Json(std::string text) : value(std::move(text)) {}
  Json(const char* text) : value(std::string(text)) {}
  Json(List list) : value(std::move(list)) {}
  Json(Object object) : value(std::move(object)) {}

  // DataError that names the file and the byte, or the member: for what is no JSON or no UTF-8, for
  // more levels than kMostLevels, and for a name that an object has twice.
  static Json parse(std::string_view bytes, const std::string& name);
  // Without white space; whole numbers and texts come back as they were, other numbers to the bit.
  std::string text() const;

  std::variant<std::nullptr_t, bool, std::int64_t, double, std::string, List, Object> value;
};

// A value and where it is. What it asks for and does not find is a DataError that says so.
class JsonPlace {
 public:
  JsonPlace(const Json& value, std::string place) : value_(&value), place_(std::move(place)) {}

  bool is_null() const { return std::holds_alternative<std::nullptr_t>(value_->value); }
  bool is_text() const { return std::holds_alternative<std::string>(value_->value); }
  bool is_list() const { return std::holds_alternative<Json::List>(value_->value); }
  bool is_object() const { return std::holds_alternative<Json::Object>(value_->value); }
  const std::string& text() const;
  bool truth() const;
  double number() const;
  std::int64_t whole(std::int64_t least, std::int64_t most) const;
  const Json::List& list() const;
  const Json::Object& object() const;

  // A member of an object, which must be there; or one that may be missing or null.
  JsonPlace at(std::string_view name) const;
  std::optional<JsonPlace> find(std::string_view name) const;
  // A value of a list.
  JsonPlace at(std::size_t index) const;

  const Json& value() const { return *value_; }
  const std::string& place() const { return place_; }
  // "tokenizer.json: model.type: what"
  template <typename... Arguments>
  [[noreturn]] void fail(fmt::format_string<Arguments...> what, Arguments&&... arguments) const {
    throw DataError("{}: {}", place_, fmt::format(what, std::forward<Arguments>(arguments)...));
  }

 private:
  // "a text", "a list", ...
  std::string kind() const;

  const Json* value_;
  std::string place_;
};

}  // namespace heed

#pragma GCC visibility pop
