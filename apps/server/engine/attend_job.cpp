// SPDX-License-Identifier: Apache-2.0
// Lists of numbers to tensors and back.
#include "server/engine/attend_job.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "attend/answer.h"
#include "heed/autograd/ops.h"
#include "heed/tensor/memory_use.h"
#include "server/http/http_error.h"

namespace heed::server {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

void pour(const json& value, std::vector<Real>& numbers) {
  if (value.is_array()) {
    for (const json& inner : value) pour(inner, numbers);
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
  pour(value, numbers);
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
constexpr std::int64_t kMostWeights = 1 << 20;
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
  if (weights > kMostWeights) {
    throw HttpError({.status = 422, .where = "/query"},
                    "{} weights; at most {} are served: send fewer queries or keys", weights,
                    kMostWeights);
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

}  // namespace

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

}  // namespace heed::server
