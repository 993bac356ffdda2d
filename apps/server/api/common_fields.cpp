// SPDX-License-Identifier: Apache-2.0
// One row for each field, and the rules between them.
#include "server/api/common_fields.h"

#include <fmt/format.h>

#include "server/api/option_fields.h"
#include "server/http/http_error.h"

namespace heed::server {

using nlohmann::json;

Field model_field() {
  return {.name = "model",
          .help = "name of the model; left out: the first that is served for this"};
}

Field text_field(const Limits& limits) {
  return {.name = "text",
          .kind = FieldKind::texts,
          .help = fmt::format("what to read: one text or up to {}, each of at most {} tokens",
                              limits.texts, limits.length),
          .required = true,
          .example = "The cat sleeps."};
}

void add_trace_fields(std::vector<Field>& fields) {
  fields.push_back({.name = "attention",
                    .kind = FieldKind::flag,
                    .help = "whether the answer says where the model looked, as a trace",
                    .otherwise = false,
                    .example = true});
  fields.push_back({.name = "layers",
                    .kind = FieldKind::wholes,
                    .help = "the trace has these layers only, counted from 0; left out: all",
                    .least = 0,
                    .most = 1000});
  fields.push_back({.name = "heads",
                    .kind = FieldKind::wholes,
                    .help = "the trace has these heads only, counted from 0; left out: all",
                    .least = 0,
                    .most = 1000});
}

void add_drawing_fields(const Options& options, std::vector<Field>& fields) {
  for (const char* name : {"temperature", "top-k", "nucleus", "seed"}) {
    fields.push_back(field_of(options, name));
    fields.back().otherwise = nullptr;
  }
}

void check_stops(std::span<const std::string> stops) {
  constexpr std::size_t kMost = 16;
  constexpr std::size_t kLongest = 200;
  if (stops.size() > kMost) {
    refuse_field("stop", fmt::format("\"stop\" has {} texts; it takes {}", stops.size(), kMost));
  }
  for (const std::string& stop : stops) {
    if (stop.empty() || stop.size() > kLongest) {
      refuse_field("stop", fmt::format("\"stop\" has a text of {} bytes; it takes texts of 1 to {}",
                                       stop.size(), kLongest));
    }
  }
}

void refuse_field(const std::string& field, const std::string& message) {
  throw HttpError({.status = 400, .where = "/" + field}, message);
}

std::vector<std::string> texts_of(const json& body, const char* field) {
  if (!body.contains(field)) return {};
  const json& given = body[field];
  if (given.is_string()) return {given.get<std::string>()};
  return given.get<std::vector<std::string>>();
}

std::vector<std::string> texts_beside(const json& body, const char* field) {
  const std::size_t texts = texts_of(body, "text").size();
  std::vector<std::string> beside = texts_of(body, field);
  if (body.contains(field) && beside.size() != texts) {
    refuse_field(field, fmt::format("\"{}\" has {} texts, and \"text\" {}; each takes one", field,
                                    beside.size(), texts));
  }
  return beside;
}

void refuse_drawing(const json& body, const std::string& why) {
  for (const char* field : {"temperature", "top_k", "nucleus", "seed"}) {
    if (body.contains(field)) refuse_field(field, fmt::format("\"{}\" {}", field, why));
  }
}

TraceRequest trace_of(const json& body) {
  TraceRequest request{.wanted = body["attention"].get<bool>(),
                       .layers = body.value("layers", std::vector<int>()),
                       .heads = body.value("heads", std::vector<int>())};
  for (const char* field : {"layers", "heads"}) {
    if (body.contains(field) && !request.wanted) {
      refuse_field(field,
                   fmt::format("\"{}\" chooses of the attention; ask for it with \"attention\": "
                               "true",
                               field));
    }
  }
  return request;
}

}  // namespace heed::server
