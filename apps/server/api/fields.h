// SPDX-License-Identifier: Apache-2.0
// The fields of a request's JSON body: one table that the strict reader obeys and the OpenAPI page
// is made from, so that the two cannot differ.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace heed::server {

enum class FieldKind {
  text,     // "a text"
  texts,    // one, or a list of them
  flag,     // true or false
  whole,    // 3
  number,   // 0.5
  choice,   // one of `choices`
  wholes,   // [0, 2]
  numbers,  // [[1, 2], [3, 4]], two to four deep
  flags,    // the same of true and false
};

struct Field {
  std::string name = {};
  FieldKind kind = FieldKind::text;
  std::string help = {};
  bool required = false;
  nlohmann::json otherwise = nullptr;  // its value when left out; null: none
  std::optional<double> least = {};
  std::optional<double> most = {};
  bool above = false;     // whether `least` itself is too little
  bool nullable = false;  // whether null means that it is left out
  std::vector<std::string> choices = {};
  nlohmann::json example = nullptr;
};

// The body as an object that has every field with a value or a default. HttpError 400 that points
// to the place for anything that is no JSON, not UTF-8, nested too deep, given twice, unknown (with
// the nearest name), missing, of another type or out of range.
nlohmann::json read_fields(const std::string& body, std::span<const Field> fields);

// What JSON Schema says of it.
nlohmann::json schema_of(const Field& field);

}  // namespace heed::server
