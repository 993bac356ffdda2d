// SPDX-License-Identifier: Apache-2.0
// Fields that several routes have, and what they mean: the model, texts, drawing, the trace.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "heed/base/options.h"
#include "server/api/fields.h"
#include "server/serve_options.h"

namespace heed::server {

Field model_field();
Field text_field(const Limits& limits);
void add_trace_fields(std::vector<Field>& fields);
// Those of sampling, which have no value when they are left out.
void add_drawing_fields(const Options& options, std::vector<Field>& fields);

// Which attentions an answer shall carry.
struct TraceRequest {
  bool wanted = false;
  std::vector<int> layers{};  // empty: all
  std::vector<int> heads{};
};
// HttpError 400 for a choice of what was not asked for.
TraceRequest trace_of(const nlohmann::json& body);

// A list that the request wrote as one text or as several; none when it was left out.
std::vector<std::string> texts_of(const nlohmann::json& body, const char* field);
// The same of a field that has one for each of "text". HttpError 400 for another number.
std::vector<std::string> texts_beside(const nlohmann::json& body, const char* field);

// Of "stop". HttpError 400 for more texts than anybody needs to end at, longer ones or empty ones.
void check_stops(std::span<const std::string> stops);

// Throws HttpError 400 that points to the field.
[[noreturn]] void refuse_field(const std::string& field, const std::string& message);
// HttpError 400 for a field of drawing that is given: `why` says what is wrong with it.
void refuse_drawing(const nlohmann::json& body, const std::string& why);

}  // namespace heed::server
