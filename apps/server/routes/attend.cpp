// SPDX-License-Identifier: Apache-2.0
// POST /v1/attend: a written mechanism on numbers of a request, as `heed attend` runs it on those
// of a file.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "attend/answer.h"
#include "heed/autograd/ops.h"
#include "heed/tensor/memory_use.h"
#include "server/api/api.h"
#include "server/api/schemas.h"
#include "server/engine/model_job.h"
#include "server/http/http_error.h"

namespace heed::server {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

class AttendJob final : public AnsweringJob {
 public:
  AttendJob(JobSetting setting, json body)
      : AnsweringJob(std::move(setting)), body_(std::move(body)) {}
  void run(std::span<const Pointer> batch) override;
  ordered_json answer() const override { return answer_; }

 private:
  void attend();

  json body_;
  ordered_json answer_{};
};

// Lists of numbers to tensors and back.
void append_numbers(const json& value, std::vector<Real>& numbers) {
  if (value.is_array()) {
    for (const json& inner : value) append_numbers(inner, numbers);
  } else {
    numbers.push_back(value.is_boolean() ? (value.get<bool>() ? 1 : 0) : value.get<Real>());
  }
}

Tensor tensor_of(const json& value) {
  std::vector<std::int64_t> sizes;
  const json* inner = &value;
  for (; inner->is_array(); inner = &inner->front()) {
    sizes.push_back(static_cast<std::int64_t>(inner->size()));
    if (inner->empty()) break;
  }
  std::vector<Real> numbers;
  append_numbers(value, numbers);
  return Tensor::of(Shape(std::span<const std::int64_t>(sizes)), numbers);
}

ordered_json lists_of(const Tensor& tensor) {
  ordered_json rows = ordered_json::array();
  if (tensor.rank() == 1) {
    // JSON has no infinities: the log-sum-exp of a query that sees no key is null.
    for (const Real value : tensor.values()) {
      rows.push_back(std::isfinite(value) ? ordered_json(value) : ordered_json());
    }
    return rows;
  }
  for (std::int64_t i = 0; i < tensor.size(0); ++i) rows.push_back(lists_of(tensor.select(0, i)));
  return rows;
}

// A small request could otherwise ask for all of the memory: by parameters of any width, or by
// as many weights as queries times keys.
constexpr std::int64_t kMostInSpec = 4096;
constexpr std::int64_t kMostAttendWeights = 1 << 20;
constexpr std::int64_t kMostMegabytes = 256;  // of both, and of what is computed on the way

void check_numbers(const std::string& spec) {
  for (std::size_t i = 0; i < spec.size(); ++i) {
    if (std::isdigit(static_cast<unsigned char>(spec[i])) == 0) continue;
    const bool decimals = i > 0 && spec[i - 1] == '.';
    std::int64_t number = 0;
    for (; i < spec.size() && std::isdigit(static_cast<unsigned char>(spec[i])) != 0; ++i) {
      number = std::min(10 * number + (spec[i] - '0'), kMostInSpec + 1);
    }
    if (number > kMostInSpec && !decimals) {
      throw HttpError({.status = 422, .where = "/mechanism"},
                      "a number of the mechanism is above {}, the most that is served",
                      kMostInSpec);
    }
  }
}

void check_size(const attend::Question& question) {
  const double weights = static_cast<double>(question.query.size(0) * question.query.size(1)) *
                         static_cast<double>(question.query.size(2) * question.keys.size(2));
  if (weights > kMostAttendWeights) {
    throw HttpError({.status = 422, .where = "/query"},
                    "{} weights; at most {} are served: send fewer queries or keys", weights,
                    kMostAttendWeights);
  }
}

class BodyTensors final : public attend::AttendTensors {
 public:
  explicit BodyTensors(const json& body) : body_(body) {}

  const std::string& name() const override { return name_; }
  Tensor tensor(const std::string& name) override {
    const bool mine = name == "query" || name == "keys" || name == "values";
    return mine ? tensor_of(body_[name]) : Tensor();
  }
  Ids ids(const std::string&, const Shape&) override { return {}; }
  std::optional<Mask> mask() override {
    if (!body_.contains("mask")) return std::nullopt;
    return Mask{.values = tensor_of(body_["mask"])};
  }

 private:
  const json& body_;
  std::string name_ = "body";
};

void AttendJob::run(std::span<const Pointer> batch) {
  for (const Pointer& job : batch) static_cast<AttendJob&>(*job).attend();
}

void AttendJob::attend() {
  const NoGradient values_only;
  BodyTensors input(body_);
  attend::Question question =
      attend::read_question(input, attend::parse_heads(body_.value("heads", "")));
  const auto spec = body_["mechanism"].get<std::string>();
  check_numbers(spec);
  check_size(question);
  answer_ = {{"mechanism", spec}};
  try {
    const MemoryLimit limit(kMostMegabytes << 20);
    const attend::Answer found = attend::answer(
        input, std::move(question), {.spec = spec, .init = body_["seed"].get<std::uint64_t>()});
    for (const auto& [name, tensor] : found.tensors) answer_[name] = lists_of(tensor);
  } catch (const std::bad_alloc&) {
    throw HttpError({.status = 422, .where = "/mechanism"},
                    "the mechanism takes more than {} MB, the most that is served: write smaller "
                    "numbers, or send fewer heads",
                    kMostMegabytes);
  }
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

// Numbers in lists, two to four deep.
json tensor_schema() {
  json schema = number_schema();
  json either = json::array();
  for (int depth = 1; depth <= 4; ++depth) {
    schema = list_of(schema);
    if (depth >= 2) either.push_back(schema);
  }
  return {{"anyOf", either}};
}

json attend_schema() {
  const json tensor = tensor_schema();
  return object_of({{"mechanism", text_schema()},
                    {"context", tensor},
                    {"weights?", tensor},
                    {"scores?", tensor},
                    {"lse?", {{"type", "array"}}},
                    {"log_probability?", {{"type", "array"}}},
                    {"entropy?", {{"type", "array"}}}});
}

HttpResponse run_mechanism(RouteCall& call) {
  const auto cost = static_cast<std::int64_t>(call.request.body.size() / 8 + 1);
  return call.api.done(
      std::make_shared<AttendJob>(call.api.setting_of(call, nullptr, cost), call.body), call);
}

Route attend_route(const Limits&) {
  return {.method = "POST",
          .path = "/v1/attend",
          .name = "attend",
          .summary = "Run a mechanism, as written, on given numbers",
          .fields = attend_fields(),
          .answer = attend_schema(),
          .call = run_mechanism};
}

const ListedRoute kListed(attend_route);

}  // namespace
}  // namespace heed::server
