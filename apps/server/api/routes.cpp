// SPDX-License-Identifier: Apache-2.0
// The table of routes.
#include "server/api/routes.h"

#include <fmt/format.h>

#include <algorithm>

#include "server/api/schemas.h"

namespace heed::server {
namespace {

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
          .example = "the cat sleeps"};
}

void add_trace(std::vector<Field>& fields) {
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

void add_drawing(std::vector<Field>& fields) {
  fields.push_back({.name = "temperature",
                    .kind = FieldKind::number,
                    .help = "sampling: below 1 safer, above 1 more varied",
                    .least = 0,
                    .most = 100,
                    .above = true,
                    .example = 0.8});
  fields.push_back({.name = "top_k",
                    .kind = FieldKind::whole,
                    .help = "sampling: draw from this many likeliest tokens only (top-k); 0: all",
                    .least = 0,
                    .most = 1000000});
  fields.push_back({.name = "nucleus",
                    .kind = FieldKind::number,
                    .help = "sampling: draw from the likeliest tokens that together have this "
                            "probability (top-p, nucleus); 1: all",
                    .least = 0,
                    .most = 1,
                    .above = true});
  fields.push_back({.name = "seed",
                    .kind = FieldKind::whole,
                    .help = "sampling: the same seed draws the same",
                    .least = 0,
                    .most = 9007199254740992.0});
}

std::vector<Field> translate_fields(const Limits& limits) {
  const auto beam = static_cast<double>(limits.beam);
  std::vector<Field> fields = {
      model_field(),
      text_field(limits),
      {.name = "beam",
       .kind = FieldKind::whole,
       .help = "beam width, the hypotheses kept at a time; 1: greedy",
       .otherwise = std::min<std::int64_t>(5, limits.beam),
       .least = 1,
       .most = beam,
       .example = 4},
      {.name = "n_best",
       .kind = FieldKind::whole,
       .help = "translations of each text, at most as many as the beam has hypotheses",
       .otherwise = 1,
       .least = 1,
       .most = beam},
      {.name = "length_penalty",
       .kind = FieldKind::choice,
       .help = "what the log-probability is divided by: nothing, ((5+n)/6)^alpha, n^alpha",
       .otherwise = "wu",
       .choices = {"none", "wu", "power"}},
      {.name = "length_alpha",
       .kind = FieldKind::number,
       .help = "alpha of the length penalty",
       .otherwise = 0.6,
       .least = 0,
       .most = 10},
      {.name = "sample",
       .kind = FieldKind::flag,
       .help = "draw translations instead of searching for the best",
       .otherwise = false}};
  add_drawing(fields);
  add_trace(fields);
  return fields;
}

std::vector<Field> generate_fields(const Limits& limits) {
  std::vector<Field> fields = {
      model_field(),
      {.name = "prompt",
       .help = fmt::format("what the text begins with, at most {} tokens", limits.length),
       .otherwise = "",
       .example = "Once"},
      {.name = "length",
       .kind = FieldKind::whole,
       .help = "tokens to write",
       .otherwise = std::min<std::int64_t>(100, limits.written),
       .least = 1,
       .most = static_cast<double>(limits.written),
       .example = 20},
      {.name = "greedy",
       .kind = FieldKind::flag,
       .help = "always the likeliest token",
       .otherwise = false},
      {.name = "stream",
       .kind = FieldKind::flag,
       .help = "answer by server-sent events: a `piece` for each token, then `end` or `error`",
       .otherwise = false}};
  add_drawing(fields);
  add_trace(fields);
  return fields;
}

std::vector<Field> classify_fields(const Limits& limits) {
  std::vector<Field> fields = {model_field(),
                               text_field(limits),
                               {.name = "second",
                                .kind = FieldKind::texts,
                                .help = "for models that compare two: the second of each text"}};
  add_trace(fields);
  return fields;
}

std::vector<Field> score_fields(const Limits& limits) {
  std::vector<Field> fields = {
      model_field(),
      text_field(limits),
      {.name = "target",
       .kind = FieldKind::texts,
       .help = "for translators: the translation of each text; language models take none"}};
  add_trace(fields);
  return fields;
}

std::vector<Field> fill_fields(const Limits& limits) {
  std::vector<Field> fields = {model_field(),
                               {.name = "text",
                                .help = fmt::format("a text of at most {} tokens with a [MASK] "
                                                    "for each gap",
                                                    limits.length),
                                .required = true,
                                .example = "the [MASK] sleeps"},
                               {.name = "count",
                                .kind = FieldKind::whole,
                                .help = "words for each gap",
                                .otherwise = 5,
                                .least = 1,
                                .most = 100}};
  add_trace(fields);
  return fields;
}

std::vector<Field> attend_fields() {
  const auto numbers = [](const char* name, const char* help, const json& example) {
    return Field{.name = name,
                 .kind = FieldKind::numbers,
                 .help = help,
                 .required = true,
                 .example = example};
  };
  return {{.name = "mechanism",
           .help = "scores + biases | pattern | normaliser",
           .required = true,
           .example = "scaled_dot | causal | entmax(alpha=1.5)"},
          numbers("query", "[Q,D], [B,Q,D] or [B,H,Q,D]", {{1, 0}, {0, 1}}),
          numbers("keys", "the same of keys", {{1, 0}, {0, 1}}),
          numbers("values", "one to a key", {{1, 2}, {3, 4}}),
          {.name = "mask",
           .kind = FieldKind::flags,
           .help = "which keys a query may see, [Q,K], [B,Q,K] or [B,H,Q,K]"},
          {.name = "heads", .help = "heads that [B,S,D] is split into: \"H\" or \"H,Hkv\""},
          {.name = "seed",
           .kind = FieldKind::whole,
           .help = "of the mechanism's own parameters, which are drawn, and of normalisers that "
                   "draw",
           .otherwise = 1,
           .least = 0,
           .most = 9007199254740992.0}};
}

}  // namespace

std::vector<Route> make_routes(const Limits& limits) {
  return {
      {.method = "POST",
       .path = "/v1/translate",
       .name = "translate",
       .summary = "Translate texts, and say where the model looked",
       .fields = translate_fields(limits),
       .answer = translate_schema()},
      {.method = "POST",
       .path = "/v1/generate",
       .name = "generate",
       .summary = "Continue a text, at once or as it is written",
       .fields = generate_fields(limits),
       .types = {"application/json", "text/event-stream"},
       .answer = generate_schema()},
      {.method = "POST",
       .path = "/v1/classify",
       .name = "classify",
       .summary = "Judge texts",
       .fields = classify_fields(limits),
       .answer = classify_schema()},
      {.method = "POST",
       .path = "/v1/score",
       .name = "score",
       .summary = "Say how likely a model finds translations or texts",
       .fields = score_fields(limits),
       .answer = score_schema()},
      {.method = "POST",
       .path = "/v1/fill",
       .name = "fill",
       .summary = "Guess the masked words of a text",
       .fields = fill_fields(limits),
       .answer = fill_schema()},
      {.method = "POST",
       .path = "/v1/attend",
       .name = "attend",
       .summary = "Run a mechanism, as written, on given numbers",
       .fields = attend_fields(),
       .answer = attend_schema()},
      {.method = "GET",
       .path = "/v1/mechanisms",
       .name = "mechanisms",
       .summary = "List the parts that mechanisms are written with",
       .answer = mechanisms_schema()},
      {.method = "GET",
       .path = "/v1/models",
       .name = "models",
       .summary = "List the models that are served",
       .answer = models_schema()},
      {.method = "GET",
       .path = "/healthz",
       .name = "health",
       .summary = "Say that the server lives",
       .answer = health_schema(),
       .open = true},
      {.method = "GET",
       .path = "/metrics",
       .name = "metrics",
       .summary = "Give the server's counts, for Prometheus",
       .types = {"text/plain"}},
      {.method = "GET",
       .path = "/openapi.json",
       .name = "openapi",
       .summary = "Describe this API",
       .answer = {{"type", "object"}},
       .open = true},
  };
}

const Route* find_route(std::span<const Route> routes, const std::string& method,
                        const std::string& path) {
  const auto found = std::ranges::find_if(
      routes, [&](const Route& route) { return route.method == method && route.path == path; });
  return found == routes.end() ? nullptr : &*found;
}

std::vector<std::string> methods_of(std::span<const Route> routes, const std::string& path) {
  std::vector<std::string> methods;
  for (const Route& route : routes) {
    if (route.path != path) continue;
    methods.push_back(route.method);
    if (route.method == "GET") methods.emplace_back("HEAD");
  }
  return methods;
}

}  // namespace heed::server
