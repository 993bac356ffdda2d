// SPDX-License-Identifier: Apache-2.0
// POST /v1/completions: texts continued, asked for and answered as OpenAI's clients do.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <random>
#include <utility>

#include "heed/pipeline/language/language_writing.h"
#include "server/api/api.h"
#include "server/api/common_fields.h"
#include "server/api/event_stream.h"
#include "server/api/option_fields.h"
#include "server/api/schemas.h"
#include "server/engine/event_job.h"

namespace heed::server {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;
using pipeline::WrittenToken;
using Writing = pipeline::LanguageGenerator::Writing;

constexpr int kTokensWrittenAtOnce = 8;

struct CompletionRequest {
  std::vector<std::string> prompts{};
  std::int64_t count = 1;  // of texts for each prompt
  pipeline::GenerateOptions options{};
  bool stream = false;
  bool echo = false;
  std::string id{};
  std::int64_t created = 0;

  std::size_t choices() const { return prompts.size() * static_cast<std::size_t>(count); }
  const std::string& prompt_of(std::size_t choice) const {
    return prompts[choice / static_cast<std::size_t>(count)];
  }
};

// Without a seed, something else each time.
std::uint64_t any_seed() {
  std::random_device random;
  return random();
}

CompletionRequest completion_request_of(const RouteCall& call) {
  const json& body = call.body;
  CompletionRequest request{.prompts = texts_of(body, "prompt"),
                            .count = body["n"].get<std::int64_t>(),
                            .stream = body["stream"].get<bool>(),
                            .echo = body["echo"].get<bool>()};
  pipeline::GenerateOptions& options = request.options;
  options.length = body["max_tokens"].get<std::int64_t>();
  options.greedy = body["temperature"].get<double>() == 0;
  if (!options.greedy) options.draw.temperature = body["temperature"].get<double>();
  options.draw.nucleus = body["top_p"].get<double>();
  options.seed = body.contains("seed") ? body["seed"].get<std::uint64_t>() : any_seed();
  options.stop = texts_of(body, "stop");
  check_stops(options.stop);
  options.probabilities = body.contains("logprobs");
  if (options.probabilities) options.alternatives = body["logprobs"].get<int>();
  if (request.echo && options.probabilities) {
    refuse_field("logprobs",
                 "\"logprobs\" are of what is written, and \"echo\" adds the prompt; ask without "
                 "one of them, or ask /v1/score how likely the prompt is");
  }
  request.id = "cmpl-" + call.request.id;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  request.created = std::chrono::duration_cast<std::chrono::seconds>(now).count();
  return request;
}

std::int64_t letters_in(std::string_view text) {
  return std::ranges::count_if(
      text, [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; });
}

// One text of an answer.
struct Choice {
  std::string text{};
  std::string reason{};
  std::vector<WrittenToken> tokens{};
};

// Tokens, their probabilities, and where each begins, in letters from the prompt's first on.
ordered_json logprobs_of(std::span<const WrittenToken> tokens, const std::string& prompt,
                         std::string_view text) {
  ordered_json pieces = ordered_json::array();
  ordered_json chances = ordered_json::array();
  ordered_json others = ordered_json::array();
  ordered_json places = ordered_json::array();
  for (const WrittenToken& token : tokens) {
    pieces.push_back(token.piece);
    chances.push_back(finite(token.log_probability));
    ordered_json likeliest = ordered_json::object();
    for (const auto& [piece, chance] : token.alternatives) {
      if (!likeliest.contains(piece)) likeliest[piece] = finite(chance);
    }
    others.push_back(std::move(likeliest));
    places.push_back(letters_in(prompt) + letters_in(text.substr(0, token.begin)));
  }
  return {{"tokens", std::move(pieces)},
          {"token_logprobs", std::move(chances)},
          {"top_logprobs", std::move(others)},
          {"text_offset", std::move(places)}};
}

// Written a few tokens at a time, one text after the other, so that a request never holds more than
// one at work, however many it asks for.
class CompletionJob final : public EventJob {
 public:
  // `seat` is given back with the job.
  CompletionJob(JobSetting setting, ModelPointer model, CompletionRequest request,
                std::shared_ptr<void> seat)
      : EventJob(std::move(setting), std::move(model)),
        request_(std::move(request)),
        seat_(std::move(seat)),
        choices_(request_.choices()) {}
  void run(std::span<const Pointer>) override {}
  bool go_on() override;
  std::int64_t written() const override;
  ordered_json answer() const override;

 private:
  void begin();
  void end();
  // A part of the current text, or with a reason its end, to who listens.
  void tell_chunk(const std::string& text, const std::string& reason);
  ordered_json frame() const;

  CompletionRequest request_;
  std::shared_ptr<void> seat_;
  // The engine's own:
  std::unique_ptr<Writing> writing_{};
  std::size_t current_ = 0;
  // Of the current text: bytes that were told, and tokens whose probabilities were.
  std::size_t heard_ = 0;
  std::size_t told_ = 0;
  // Guarded by mutex_:
  std::vector<Choice> choices_;
  std::int64_t written_ = 0;
};

void CompletionJob::begin() {
  pipeline::GenerateOptions options = request_.options;
  options.number = current_ % static_cast<std::size_t>(request_.count);
  writing_ = std::make_unique<Writing>(as<pipeline::LanguageGenerator>(),
                                       request_.prompt_of(current_), options);
  heard_ = told_ = 0;
  if (request_.stream && request_.echo) tell_chunk(request_.prompt_of(current_), "");
}

void CompletionJob::end() {
  const std::string reason = writing_->stopped() ? "stop" : "length";
  {
    const std::lock_guard lock(mutex_);
    choices_[current_] = {
        .text = (request_.echo ? request_.prompt_of(current_) : "") + writing_->finished().text,
        .reason = reason,
        .tokens = writing_->tokens()};
  }
  if (request_.stream) tell_chunk("", reason);
  writing_.reset();
  ++current_;
}

bool CompletionJob::go_on() {
  if (cancelled()) return false;
  if (!writing_) begin();
  for (int i = 0; i < kTokensWrittenAtOnce && !writing_->done() && !cancelled(); ++i) {
    if (Clock::now() >= deadline()) {
      throw HttpError({.status = 504, .where = "deadline"},
                      "{} of {} texts were written in time; ask for fewer, or for fewer tokens",
                      current_, request_.choices());
    }
    const std::string piece = writing_->next();
    {
      const std::lock_guard lock(mutex_);
      ++written_;
    }
    heard_ += piece.size();
    if (request_.stream && !piece.empty()) tell_chunk(piece, "");
  }
  if (writing_->done()) end();
  return current_ < request_.choices();
}

std::int64_t CompletionJob::written() const {
  const std::lock_guard lock(mutex_);
  return written_;
}

ordered_json CompletionJob::frame() const {
  return {{"id", request_.id},
          {"object", "text_completion"},
          {"created", request_.created},
          {"model", served().name}};
}

void CompletionJob::tell_chunk(const std::string& text, const std::string& reason) {
  ordered_json chance;
  if (request_.options.probabilities) {
    const std::span<const WrittenToken> tokens = writing_->tokens();
    // Those of a text that is held back may never become part of the answer.
    std::size_t known = told_;
    while (known < tokens.size() && tokens[known].begin + tokens[known].piece.size() <= heard_) {
      ++known;
    }
    if (!reason.empty()) known = tokens.size();
    chance = logprobs_of(tokens.subspan(told_, known - told_), request_.prompt_of(current_),
                         writing_->finished().text);
    told_ = known;
  }
  ordered_json chunk = frame();
  chunk["choices"] = ordered_json::array(
      {{{"text", text},
        {"index", current_},
        {"logprobs", std::move(chance)},
        {"finish_reason", reason.empty() ? ordered_json() : ordered_json(reason)}}});
  tell(event_text("", chunk));
}

ordered_json CompletionJob::answer() const {
  const std::lock_guard lock(mutex_);
  ordered_json choices = ordered_json::array();
  for (std::size_t i = 0; i < choices_.size(); ++i) {
    const Choice& choice = choices_[i];
    choices.push_back(
        {{"text", choice.text},
         {"index", i},
         {"logprobs", request_.options.probabilities
                          ? logprobs_of(choice.tokens, request_.prompt_of(i), choice.text)
                          : ordered_json()},
         {"finish_reason", choice.reason}});
  }
  std::int64_t read = 0;
  for (const std::string& prompt : request_.prompts) read += served().model->length(prompt) - 1;
  ordered_json answer = frame();
  answer["choices"] = std::move(choices);
  answer["usage"] = {
      {"prompt_tokens", read}, {"completion_tokens", written_}, {"total_tokens", read + written_}};
  return answer;
}

std::vector<Field> completion_fields(const Limits& limits) {
  pipeline::GenerateOptions options;
  Options list;
  options.declare(list);
  // What an option of the program is called here.
  const auto as = [&](const char* option, const char* name) {
    Field field = field_of(list, option);
    field.name = name;
    return field;
  };
  std::vector<Field> fields = {
      model_field(),
      {.name = "prompt",
       .kind = FieldKind::texts,
       .help = fmt::format("what the texts begin with: one or up to {}, each of at most {} tokens",
                           limits.texts, limits.length),
       .required = true,
       .example = "Once"}};
  Field& length = fields.emplace_back(as("length", "max_tokens"));
  length.help = "tokens to write, in all texts of the request together as many as --max-written";
  length.most = std::min(*length.most, static_cast<double>(limits.written));
  length.otherwise = std::min<std::int64_t>(16, limits.written);
  Field& temperature = fields.emplace_back(as("temperature", "temperature"));
  temperature.help += "; 0: always the likeliest token";
  temperature.above = false;
  fields.push_back(as("nucleus", "top_p"));
  fields.push_back({.name = "n",
                    .kind = FieldKind::whole,
                    .help = "texts to write for each prompt",
                    .otherwise = 1,
                    .least = 1,
                    .most = static_cast<double>(limits.beam)});
  fields.push_back(as("stop", "stop"));
  Field& seed = fields.emplace_back(as("seed", "seed"));
  seed.help += "; left out: another one each time";
  seed.otherwise = nullptr;
  fields.push_back({.name = "stream",
                    .kind = FieldKind::flag,
                    .help = "answer by server-sent events: parts of the texts, then [DONE]",
                    .otherwise = false});
  fields.push_back({.name = "logprobs",
                    .kind = FieldKind::whole,
                    .help = "the log-probability of each token, and this many of the likeliest",
                    .least = 0,
                    .most = 5});
  fields.push_back({.name = "echo",
                    .kind = FieldKind::flag,
                    .help = "whether texts begin with their prompt",
                    .otherwise = false});
  // What clients send though it changes nothing.
  for (const char* name : {"frequency_penalty", "presence_penalty"}) {
    fields.push_back({.name = name,
                      .kind = FieldKind::number,
                      .help = "0, for nothing is penalised here",
                      .otherwise = 0,
                      .least = 0,
                      .most = 0});
  }
  fields.push_back({.name = "user", .help = "taken and passed over"});
  for (Field& field : fields) field.nullable = !field.required;
  return fields;
}

json completion_schema() {
  const json logprobs = object_of(
      {{"tokens", list_of(text_schema())},
       {"token_logprobs", list_of(number_schema())},
       {"top_logprobs", list_of({{"type", "object"}, {"additionalProperties", number_schema()}})},
       {"text_offset", list_of(whole_schema())}});
  const json choice =
      object_of({{"text", text_schema()},
                 {"index", whole_schema()},
                 {"logprobs", {{"anyOf", {logprobs, {{"type", "null"}}}}}},
                 {"finish_reason", {{"type", "string"}, {"enum", {"length", "stop"}}}}});
  return object_of({{"id", text_schema()},
                    {"object", text_schema()},
                    {"created", whole_schema()},
                    {"model", text_schema()},
                    {"choices", list_of(choice)},
                    {"usage", object_of({{"prompt_tokens", whole_schema()},
                                         {"completion_tokens", whole_schema()},
                                         {"total_tokens", whole_schema()}})}});
}

HttpResponse complete(RouteCall& call, const Limits& limits) {
  CompletionRequest asked = completion_request_of(call);
  const bool stream = asked.stream;
  const ModelPointer model = call.api.model_for(call, {"language"});
  const std::int64_t cost = call.api.checked_cost(*model, asked.prompts, "/prompt", asked.count);
  const auto texts = static_cast<std::int64_t>(asked.choices());
  if (asked.options.length > limits.written / texts) {
    throw HttpError({.status = 422, .where = "/max_tokens"},
                    "{} texts of {} tokens; a request may write {} tokens in all", texts,
                    asked.options.length, limits.written);
  }
  JobSetting setting = call.api.setting_of(call, model.get(), cost);
  setting.key += Api::alone();
  const auto job = std::make_shared<CompletionJob>(std::move(setting), model, std::move(asked),
                                                   call.api.engine().take_seat());
  if (!stream) return call.api.done(job, call);
  return event_stream(job, call,
                      {.well = [] { return std::string("data: [DONE]\n\n"); },
                       .failed =
                           [id = call.request.id](const HttpError& error) {
                             const std::string body = openai_errors().body(error, id);
                             return fmt::format("data: {}\n", body);
                           }});
}

Route completions_route(const Limits& limits) {
  return {.method = "POST",
          .path = "/v1/completions",
          .name = "completions",
          .summary = "Continue texts, in the form of OpenAI's API",
          .fields = completion_fields(limits),
          .types = {"application/json", "text/event-stream"},
          .answer = completion_schema(),
          .errors = &openai_errors(),
          .call = [limits](RouteCall& call) { return complete(call, limits); }};
}

const ListedRoute kListed(completions_route);

}  // namespace
}  // namespace heed::server
