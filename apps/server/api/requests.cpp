// SPDX-License-Identifier: Apache-2.0
// Fields to options; what one field needs of another is checked here.
#include "server/api/requests.h"

#include <utility>

#include "server/http/http_error.h"

namespace heed::server {
namespace {

using nlohmann::json;

[[noreturn]] void refuse(const std::string& field, const std::string& message) {
  throw HttpError({.status = 400, .where = "/" + field}, message);
}

// A list that the request wrote as one text or as several.
std::vector<std::string> texts_of(const json& body, const char* field) {
  if (!body.contains(field)) return {};
  const json& given = body[field];
  if (given.is_string()) return {given.get<std::string>()};
  return given.get<std::vector<std::string>>();
}

// Called before a request is made of it: g++ 12 destroys members twice when the initialiser of a
// later one throws.
TraceWish trace_of(const json& body) {
  TraceWish wish{.wanted = body["attention"].get<bool>(),
                 .layers = body.value("layers", std::vector<int>()),
                 .heads = body.value("heads", std::vector<int>())};
  for (const char* field : {"layers", "heads"}) {
    if (body.contains(field) && !wish.wanted) {
      refuse(field, fmt::format("\"{}\" chooses of the attention; ask for it with \"attention\": "
                                "true",
                                field));
    }
  }
  return wish;
}

constexpr const char* kDrawing[] = {"temperature", "top_k", "nucleus", "seed"};

}  // namespace

TranslateRequest translate_request(const json& body) {
  const auto beam = body["beam"].get<int>();
  const auto n_best = body["n_best"].get<int>();
  const bool sample = body["sample"].get<bool>();
  if (n_best > beam && !sample) {
    refuse("n_best", fmt::format("\"n_best\" is {}: a beam of {} has no more; widen it with "
                                 "\"beam\"",
                                 n_best, beam));
  }
  for (const char* field : kDrawing) {
    if (!sample && body.contains(field)) {
      refuse(field,
             fmt::format("\"{}\" belongs to drawing; ask for it with \"sample\": true", field));
    }
  }
  TraceWish trace = trace_of(body);
  TranslateRequest request{
      .model = body.value("model", ""), .texts = texts_of(body, "text"), .trace = std::move(trace)};
  const std::string penalty = body["length_penalty"].get<std::string>();
  using decoding::LengthScale;
  request.options = {.search = sample ? pipeline::SearchKind::sample : pipeline::SearchKind::beam,
                     .beam = {.width = beam,
                              .n_best = n_best,
                              .length = {penalty == "none" ? LengthScale::none
                                         : penalty == "wu" ? LengthScale::wu
                                                           : LengthScale::power,
                                         body["length_alpha"].get<double>()}},
                     .sampling = {.samples = n_best,
                                  .temperature = body.value("temperature", 1.0),
                                  .top_k = body.value("top_k", 0),
                                  .nucleus = body.value("nucleus", 1.0)},
                     .seed = body.value("seed", std::uint64_t{1}),
                     .attention = request.trace.wanted,
                     .trace = request.trace.wanted};
  return request;
}

GenerateRequest generate_request(const json& body) {
  TraceWish trace = trace_of(body);
  GenerateRequest request{.model = body.value("model", ""),
                          .prompt = body["prompt"].get<std::string>(),
                          .trace = std::move(trace),
                          .stream = body["stream"].get<bool>()};
  const bool greedy = body["greedy"].get<bool>();
  for (const char* field : kDrawing) {
    if (greedy && body.contains(field)) {
      refuse(field, fmt::format("\"{}\" belongs to drawing, and \"greedy\" draws nothing", field));
    }
  }
  if (request.stream && request.trace.wanted) {
    refuse("attention", "the attention comes with the whole text; ask for it without \"stream\"");
  }
  request.options = {.length = body["length"].get<std::int64_t>(),
                     .draw = {.temperature = body.value("temperature", 1.0),
                              .top_k = body.value("top_k", 0),
                              .nucleus = body.value("nucleus", 1.0)},
                     .greedy = greedy,
                     .seed = body.value("seed", std::uint64_t{1}),
                     .trace = request.trace.wanted};
  return request;
}

ClassifyRequest classify_request(const json& body) {
  const std::vector<std::string> texts = texts_of(body, "text");
  const std::vector<std::string> second = texts_of(body, "second");
  if (body.contains("second") && second.size() != texts.size()) {
    refuse("second", fmt::format("\"second\" has {} texts, and \"text\" {}; each takes one",
                                 second.size(), texts.size()));
  }
  TraceWish trace = trace_of(body);
  ClassifyRequest request{.model = body.value("model", ""), .trace = std::move(trace)};
  for (std::size_t i = 0; i < texts.size(); ++i) {
    request.texts.push_back({.text = texts[i], .second = second.empty() ? "" : second[i]});
  }
  return request;
}

ScoreRequest score_request(const json& body) {
  TraceWish trace = trace_of(body);
  ScoreRequest request{.model = body.value("model", ""),
                       .texts = texts_of(body, "text"),
                       .targets = texts_of(body, "target"),
                       .trace = std::move(trace)};
  if (body.contains("target") && request.targets.size() != request.texts.size()) {
    refuse("target", fmt::format("\"target\" has {} texts, and \"text\" {}; each takes one",
                                 request.targets.size(), request.texts.size()));
  }
  return request;
}

FillRequest fill_request(const json& body) {
  TraceWish trace = trace_of(body);
  return {.model = body.value("model", ""),
          .text = body["text"].get<std::string>(),
          .count = body["count"].get<std::size_t>(),
          .trace = std::move(trace)};
}

}  // namespace heed::server
