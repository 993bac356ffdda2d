// SPDX-License-Identifier: Apache-2.0
// The parser's events put together without recursion, and values by place.
#include "heed/base/json.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_set>

namespace heed {
namespace {

// Builds values from the parser's events: the one being built last is on top.
class Builder : public nlohmann::json::json_sax_t {
 public:
  explicit Builder(const std::string& name) : name_(name) {}
  Json take() { return std::move(root_); }

  bool null() override {
    place();  // a value is null until it is another
    return true;
  }
  bool boolean(bool value) override { return put(value); }
  bool number_integer(number_integer_t value) override { return put(value); }
  bool number_unsigned(number_unsigned_t value) override {
    if (value > static_cast<number_unsigned_t>(std::numeric_limits<std::int64_t>::max())) {
      return put(static_cast<double>(value));
    }
    return put(static_cast<std::int64_t>(value));
  }
  bool number_float(number_float_t value, const string_t&) override { return put(value); }
  bool string(string_t& value) override { return put(std::move(value)); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(Json::Object()); }
  bool end_object() override {
    const auto& members = std::get<Json::Object>(open_.back()->value);
    std::unordered_set<std::string_view> names;
    names.reserve(members.size());
    for (const Json::Member& member : members) {
      if (names.insert(member.first).second) continue;
      throw DataError("{}: \"{}\" is there twice; a name takes one value", name_, member.first);
    }
    open_.pop_back();
    return true;
  }
  bool start_array(std::size_t) override { return open(Json::List()); }
  bool end_array() override {
    open_.pop_back();
    return true;
  }
  bool key(string_t& value) override {
    std::get<Json::Object>(open_.back()->value).emplace_back().first = std::move(value);
    return true;
  }
  bool parse_error(std::size_t position, const std::string& token,
                   const nlohmann::json::exception& error) override {
    const bool utf8 = std::string_view(error.what()).find("UTF-8") != std::string_view::npos;
    throw DataError("{}: byte {}: {} (\"{}\"); give the file as it was published", name_, position,
                    utf8 ? "this is not UTF-8" : "this is not JSON",
                    token.size() <= 40 ? token : token.substr(token.size() - 40));
  }

 private:
  Json& place() {
    if (open_.empty()) return root_;
    if (auto* list = std::get_if<Json::List>(&open_.back()->value)) return list->emplace_back();
    return std::get<Json::Object>(open_.back()->value).back().second;
  }
  template <typename Value>
  bool put(Value value) {
    place().value = std::move(value);
    return true;
  }
  // Pointers stay good: a container grows only while it is on top.
  template <typename Values>
  bool open(Values values) {
    if (open_.size() >= static_cast<std::size_t>(Json::kMostLevels)) {
      throw DataError("{}: values inside values, {} levels deep and more; no such file has these",
                      name_, Json::kMostLevels);
    }
    Json& made = place();
    made.value = std::move(values);
    open_.push_back(&made);
    return true;
  }

  const std::string& name_;
  Json root_;
  std::vector<Json*> open_;
};

void write(std::string& out, const Json& json);

void write_text(std::string& out, const std::string& text) {
  out += nlohmann::json(text).dump();
}

struct Writer {
  std::string& out;
  void operator()(std::nullptr_t) const { out += "null"; }
  void operator()(bool value) const { out += value ? "true" : "false"; }
  void operator()(std::int64_t value) const { out += std::to_string(value); }
  void operator()(double value) const { out += nlohmann::json(value).dump(); }
  void operator()(const std::string& value) const { write_text(out, value); }
  void operator()(const Json::List& list) const {
    out += '[';
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (i > 0) out += ',';
      write(out, list[i]);
    }
    out += ']';
  }
  void operator()(const Json::Object& object) const {
    out += '{';
    for (std::size_t i = 0; i < object.size(); ++i) {
      if (i > 0) out += ',';
      write_text(out, object[i].first);
      out += ':';
      write(out, object[i].second);
    }
    out += '}';
  }
};

// As deep as kMostLevels, which bounds the recursion.
void write(std::string& out, const Json& json) {
  std::visit(Writer{out}, json.value);
}

}  // namespace

Json Json::parse(std::string_view bytes, const std::string& name) {
  Builder builder(name);
  nlohmann::json::sax_parse(bytes.begin(), bytes.end(), &builder);
  return builder.take();
}

std::string Json::text() const {
  std::string out;
  write(out, *this);
  return out;
}

std::string JsonPlace::kind() const {
  static constexpr const char* kKinds[] = {"null",   "true or false", "a whole number", "a number",
                                           "a text", "a list",        "an object"};
  return kKinds[value_->value.index()];
}

const std::string& JsonPlace::text() const {
  if (const auto* text = std::get_if<std::string>(&value_->value)) return *text;
  fail("{}; it takes a text", kind());
}

bool JsonPlace::truth() const {
  if (const bool* truth = std::get_if<bool>(&value_->value)) return *truth;
  fail("{}; it takes true or false", kind());
}

double JsonPlace::number() const {
  if (const auto* whole = std::get_if<std::int64_t>(&value_->value)) {
    return static_cast<double>(*whole);
  }
  const double* number = std::get_if<double>(&value_->value);
  if (number != nullptr && std::isfinite(*number)) return *number;
  fail("{}; it takes a number", kind());
}

std::int64_t JsonPlace::whole(std::int64_t least, std::int64_t most) const {
  const auto* whole = std::get_if<std::int64_t>(&value_->value);
  if (whole == nullptr) fail("{}; it takes a whole number", kind());
  if (*whole < least || *whole > most) fail("{}; it takes {} to {}", *whole, least, most);
  return *whole;
}

const Json::List& JsonPlace::list() const {
  if (const auto* list = std::get_if<Json::List>(&value_->value)) return *list;
  fail("{}; it takes a list", kind());
}

const Json::Object& JsonPlace::object() const {
  if (const auto* object = std::get_if<Json::Object>(&value_->value)) return *object;
  fail("{}; it takes an object", kind());
}

JsonPlace JsonPlace::at(std::string_view name) const {
  const Json::Object& members = object();
  const auto found = std::ranges::find(members, name, &Json::Member::first);
  if (found == members.end()) fail("\"{}\" is missing", name);
  return {found->second, fmt::format("{}: {}", place_, name)};
}

std::optional<JsonPlace> JsonPlace::find(std::string_view name) const {
  const Json::Object& members = object();
  const auto found = std::ranges::find(members, name, &Json::Member::first);
  if (found == members.end()) return std::nullopt;
  JsonPlace place(found->second, fmt::format("{}: {}", place_, name));
  if (place.is_null()) return std::nullopt;
  return place;
}

JsonPlace JsonPlace::at(std::size_t index) const {
  const Json::List& values = list();
  if (index >= values.size()) fail("{} values; value {} is missing", values.size(), index);
  return {values[index], fmt::format("{}: value {}", place_, index)};
}

}  // namespace heed
