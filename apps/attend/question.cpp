// SPDX-License-Identifier: Apache-2.0
// Every shape is checked here, where the names of the user's tensors are still known.
#include "attend/question.h"

#include <cmath>
#include <limits>
#include <map>

#include "heed/attention/multi_head.h"
#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/base/text.h"

namespace heed::attend {
namespace {

using Found = std::map<std::string, Variable>;

void read_three(AttendTensors& input, Question& question, Found& found) {
  std::vector<std::string> missing;
  for (const char* name : {"query", "keys", "values"}) {
    const Tensor value = input.tensor(name);
    if (!value.defined()) {
      missing.emplace_back(name);
      continue;
    }
    if (question.rank == 0) question.rank = value.rank();
    if (value.rank() < 2 || value.rank() > 4 || value.rank() != question.rank) {
      throw UsageError("{}: {} is {}; query, keys and values are all [S,D], [B,S,D] or [B,H,S,D]",
                       input.name(), name, value.shape().text());
    }
    // A sequence may be empty; a batch, the heads and the features may not.
    for (int axis = 0; axis < value.rank(); ++axis) {
      if (value.size(axis) > 0 || axis == value.rank() - 2) continue;
      throw UsageError("{}: {} is {}; only S may be 0 in [S,D], [B,S,D] or [B,H,S,D]", input.name(),
                       name, value.shape().text());
    }
    found[name] = Variable::leaf(value);
    question.leaves.push_back({name, found[name]});
  }
  if (!missing.empty()) {
    input.refuse_missing(
        fmt::format("no tensor {}; query, keys and values are needed", join(missing, ", ")));
  }
}

void check_together(const AttendTensors& input, const Question& question, const Found& found) {
  const Shape& query = found.at("query").shape();
  const Shape& keys = found.at("keys").shape();
  const Shape& values = found.at("values").shape();
  const int rank = question.rank;
  if (keys[rank - 2] != values[rank - 2]) {
    throw UsageError("{}: keys {} and values {}; there is one value to a key", input.name(),
                     keys.text(), values.text());
  }
  if (rank > 2 && (query[0] != keys[0] || keys[0] != values[0])) {
    throw UsageError("{}: query {}, keys {} and values {}; the batch is the same for all",
                     input.name(), query.text(), keys.text(), values.text());
  }
  if (rank == 4 && (keys[1] != values[1] || query[1] % keys[1] != 0)) {
    throw UsageError(
        "{}: query {}, keys {} and values {}; keys and values have equal heads, and those of the "
        "query are a multiple of them",
        input.name(), query.text(), keys.text(), values.text());
  }
}

void read_projections(AttendTensors& input, Question& question, Found& found) {
  const std::map<std::string, std::string> projected = {
      {"W_Q", "query"}, {"W_K", "keys"}, {"W_V", "values"}};
  for (const char* name : {"W_Q", "W_K", "W_V", "W_O"}) {
    const Tensor value = input.tensor(name);
    if (!value.defined()) continue;
    if (question.rank == 4 || value.rank() != 2 || value.size() == 0) {
      throw UsageError("{}: {} is {}; projections are [out,in] and belong to [S,D] or [B,S,D]",
                       input.name(), name, value.shape().text());
    }
    if (const auto of = projected.find(name); of != projected.end()) {
      const Variable& input_rows = found.at(of->second);
      if (value.size(1) != input_rows.size(-1)) {
        throw UsageError("{}: {} is {}; for {} {} it takes [out,{}]", input.name(), name,
                         value.shape().text(), of->second, input_rows.shape().text(),
                         input_rows.size(-1));
      }
    }
    found[name] = Variable::leaf(value);
    question.leaves.push_back({name, found[name]});
  }
}

// [S,D], [B,S,D] or [B,H,S,D] -> [B,H,S,D], through the projection [out,in] where there is one.
Variable as_heads(const AttendTensors& input, const std::string& name, const Variable& x,
                  const Variable& projection, std::int64_t heads) {
  if (x.rank() == 4) return x;
  Variable rows = x.rank() == 2 ? reshape(x, {1, x.size(0), x.size(1)}) : x;
  if (projection.defined()) rows = linear(rows, projection, Variable());
  if (rows.size(2) % heads != 0) {
    throw UsageError("{}: {} has width {}{}, which does not divide into {} heads (--heads)",
                     input.name(), name, rows.size(2), projection.defined() ? " projected" : "",
                     heads);
  }
  return attention::split_heads(rows, heads);
}

// [K], [Q,K], [B,Q,K] or [B,H,Q,K] -> [B or 1, H or 1, Q, K]
Variable widened(const AttendTensors& input, const std::string& name, const Variable& given,
                 const Question& question) {
  const std::int64_t queries = question.query.size(2);
  const std::int64_t keys = question.keys.size(2);
  Shape shape = given.shape();
  if (shape.rank() == 3) shape = shape.inserted(1, 1);
  while (shape.rank() < 4) shape = shape.inserted(0, 1);
  const auto fits = [&](int axis, std::int64_t size) {
    return shape[axis] == 1 || shape[axis] == size;
  };
  if (shape.rank() > 4 || !fits(0, question.query.size(0)) || !fits(1, question.heads.query) ||
      !fits(2, queries) || !fits(3, keys)) {
    throw UsageError("{}: {} is {}; it broadcasts to [{},{},{},{}]", input.name(), name,
                     given.shape().text(), question.query.size(0), question.heads.query, queries,
                     keys);
  }
  return expand(reshape(given, shape), {shape[0], shape[1], queries, keys});
}

// A float mask is added, but for -inf, which says "not this key" and becomes part of the pattern:
// a set of allowed keys needs no arithmetic with infinities.
void take_float_mask(const AttendTensors& input, const Tensor& mask, attention::QueryData& given) {
  Tensor bias = mask.clone();
  Tensor allowed = Tensor::full(mask.shape(), Real{1});
  Real* numbers = bias.mutable_data();
  Real* flags = allowed.mutable_data();
  bool forbids = false;
  for (std::int64_t i = 0; i < bias.size(); ++i) {
    if (std::isfinite(numbers[i])) continue;
    if (numbers[i] != -std::numeric_limits<Real>::infinity()) {
      throw UsageError("{}: mask holds {}; a float mask takes finite numbers, and -inf to forbid",
                       input.name(), numbers[i]);
    }
    numbers[i] = 0;
    flags[i] = 0;
    forbids = true;
  }
  given.bias = bias;
  if (forbids) given.mask = allowed;
}

void read_data(AttendTensors& input, Question& question) {
  const std::int64_t batch = question.query.size(0);
  attention::KeyData& data = question.key_data;
  attention::QueryData& given = question.given;
  if (const auto mask = input.mask()) {
    const Tensor wide = widened(input, "mask", Variable(mask->values), question).value().packed();
    if (mask->added) {
      take_float_mask(input, wide, given);
    } else {
      given.mask = wide;
    }
  }
  data.lengths = input.ids("lengths", {batch});
  if (data.lengths.defined()) {
    for (const std::int32_t length : data.lengths.values()) {
      if (length >= 0 && length <= question.keys.size(2)) continue;
      throw UsageError("{}: lengths holds {}; a sequence has 0 to {} keys", input.name(), length,
                       question.keys.size(2));
    }
  }
  given.segments = input.ids("query_segments", {batch, question.query.size(2)});
  data.segments = input.ids("key_segments", {batch, question.keys.size(2)});
  if (given.segments.defined() != data.segments.defined()) {
    input.refuse_missing(fmt::format("no tensor {}; query_segments and key_segments go together",
                                     given.segments.defined() ? "key_segments" : "query_segments"));
  }
  if (const Tensor bounds = input.tensor("bounds"); bounds.defined()) {
    const Shape shape = {batch, question.heads.query, question.query.size(2),
                         question.keys.size(2)};
    const Variable leaf = Variable::leaf(bounds);
    question.leaves.push_back({"bounds", leaf});
    given.bounds = expand(widened(input, "bounds", leaf, question), shape);
  }
}

}  // namespace

Heads parse_heads(const std::string& text) {
  if (text.empty()) return {};
  const auto words = split(text, ',');
  if (words.size() > 2 || words.front().empty() || words.back().empty()) {
    throw UsageError("--heads is \"{}\": it takes H or H,Hkv, such as 8 or 8,2", text);
  }
  const std::int64_t query = parse_integer(words.front(), "--heads");
  const std::int64_t key = parse_integer(words.back(), "--heads");
  if (query < 1 || key < 1 || query % key != 0) {
    throw UsageError("--heads is \"{}\": H is a multiple of Hkv, and both are 1 or more", text);
  }
  return {query, key, true};
}

Question read_question(AttendTensors& input, const Heads& heads) {
  Question question;
  question.heads = heads;
  Found found;
  read_three(input, question, found);
  check_together(input, question, found);
  read_projections(input, question, found);
  if (heads.given && question.rank != 3) {
    throw UsageError("--heads splits [B,S,D]; {} has query {}", input.name(),
                     found["query"].shape().text());
  }
  if (question.rank == 4) {
    question.heads = {found["query"].size(1), found["keys"].size(1), true};
  }
  question.query = as_heads(input, "query", found["query"], found["W_Q"], question.heads.query);
  question.keys = as_heads(input, "keys", found["keys"], found["W_K"], question.heads.key);
  question.values = as_heads(input, "values", found["values"], found["W_V"], question.heads.key);
  question.w_o = found["W_O"];
  const std::int64_t merged = question.heads.query * question.values.size(3);
  if (question.w_o.defined() && question.w_o.size(1) != merged) {
    throw UsageError("{}: W_O is {}; for {} heads of {} values each it takes [out,{}]",
                     input.name(), question.w_o.shape().text(), question.heads.query,
                     question.values.size(3), merged);
  }
  read_data(input, question);
  return question;
}

}  // namespace heed::attend
