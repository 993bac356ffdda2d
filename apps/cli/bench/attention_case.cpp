// SPDX-License-Identifier: Apache-2.0
// Tensors with scores of a given deviation, the mechanism over them, and what a run of it costs.
#include "cli/bench/attention_case.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "heed/attention/make_parts.h"
#include "heed/attention/written/spec.h"
#include "heed/base/random.h"
#include "heed/base/safetensors.h"
#include "heed/tensor/peak_memory.h"

namespace heed::cli {
namespace {

AttentionSetting completed(AttentionSetting setting) {
  if (setting.key_heads == 0) setting.key_heads = setting.heads;
  return setting;
}

attention::MechanismShape shape_of(const AttentionSetting& setting) {
  return {.query_width = setting.width,
          .key_width = setting.width,
          .value_width = setting.width,
          .heads = setting.heads,
          .key_heads = setting.key_heads};
}

// [B,H,S,D] of normal numbers, a view of [B,S,H,D] where heads lie inside.
Tensor normal(const AttentionSetting& setting, std::int64_t heads, std::int64_t length,
              double deviation, std::uint64_t stream) {
  Random random(1, stream);
  Tensor numbers(setting.heads_inside ? Shape{setting.batch, length, heads, setting.width}
                                      : Shape{setting.batch, heads, length, setting.width});
  fill_normal({numbers.mutable_data(), static_cast<std::size_t>(numbers.size())}, random, Real(0),
              static_cast<Real>(deviation));
  return setting.heads_inside ? numbers.transpose(1, 2) : numbers;
}

Variable input(const AttentionSetting& setting, std::int64_t heads, std::int64_t length,
               double deviation, std::uint64_t stream) {
  const Tensor numbers = normal(setting, heads, length, deviation, stream);
  return setting.backward ? Variable::leaf(numbers) : Variable(numbers);
}

attention::Mechanism made(const AttentionSetting& setting) {
  Random random(1, 4);
  return {setting.spec, shape_of(setting), random};
}

// Keys that all queries of all heads together may see.
double allowed_keys(const AttentionSetting& setting) {
  const attention::Spec spec = attention::parse_spec(setting.spec);
  double allowed = 0;
  std::int64_t first_head = 0;
  for (const attention::HeadsSpec& group : spec.groups) {
    const std::int64_t heads = group.heads == 0 ? setting.heads : group.heads;
    const auto pattern = attention::make_pattern(group.mechanism.pattern, spec.text)
                             ->bind({.batch = setting.batch,
                                     .heads = heads,
                                     .first_head = first_head,
                                     .queries = setting.queries,
                                     .keys = setting.keys});
    std::vector<attention::KeyRun> runs;
    for (std::int64_t b = 0; b < setting.batch; ++b) {
      for (std::int64_t h = 0; h < heads; ++h) {
        for (std::int64_t q = 0; q < setting.queries; ++q) {
          pattern->runs(b, h, q, runs);
          for (const attention::KeyRun& run : runs) {
            const std::int64_t keys = (run.end - run.begin + run.step - 1) / run.step;
            allowed += static_cast<double>(keys);
          }
        }
      }
    }
    first_head += heads;
  }
  return allowed;
}

std::int64_t bytes_of(const Tensor& tensor) {
  return tensor.size() * static_cast<std::int64_t>(sizeof(Real));
}

}  // namespace

// A score is the sum of D products over sqrt(D): with deviation sqrt(S) of both factors it has S.
AttentionCase::AttentionCase(const AttentionSetting& setting)
    : setting_(completed(setting)),
      query_(input(setting_, setting_.heads, setting_.queries, std::sqrt(setting_.score_deviation),
                   0)),
      keys_(input(setting_, setting_.key_heads, setting_.keys, std::sqrt(setting_.score_deviation),
                  1)),
      values_(input(setting_, setting_.key_heads, setting_.keys, 1, 2)),
      mechanism_(made(setting_)),
      memory_(mechanism_.memory(keys_, values_)) {
  if (setting_.backward) d_context_ = normal(setting_, setting_.heads, setting_.queries, 1, 3);
}

double AttentionCase::flops() const {
  return (setting_.backward ? 10.0 : 4.0) * static_cast<double>(setting_.width) *
         allowed_keys(setting_);
}

void AttentionCase::attend() {
  // What the keys are projected to belongs to the graph that backward uses up.
  if (setting_.backward) memory_ = mechanism_.memory(keys_, values_);
  context_ = mechanism_.attend(query_, memory_, {}, {.changes = setting_.changes}).context;
}

void AttentionCase::go_back() {
  backward(context_, d_context_);
}

PreparedRun AttentionCase::timed() {
  if (!setting_.backward) return {.run = [this] { attend(); }};
  return {.run = [this] { go_back(); },
          .prepare =
              [this] {
                for (Variable* leaf : {&query_, &keys_, &values_}) leaf->clear_gradient();
                for (nn::Parameter& parameter : nn::parameters(mechanism_)) {
                  parameter.variable.clear_gradient();
                }
                attend();
              }};
}

std::optional<std::int64_t> AttentionCase::extra_bytes() {
  const PreparedRun work = timed();
  const auto once = [&] {
    work.prepare();
    work.run();
  };
  once();  // loads the code
  context_ = Variable();
  for (Variable* leaf : {&query_, &keys_, &values_}) leaf->clear_gradient();
  const auto growth = peak_growth(once);
  if (!growth) return {};
  std::int64_t outputs = bytes_of(context_.value());
  if (setting_.backward) {
    for (const Variable* leaf : {&query_, &keys_, &values_}) outputs += bytes_of(leaf->value());
  }
  return std::max(*growth - outputs, std::int64_t{0});
}

void AttentionCase::write(const std::string& path) {
  const PreparedRun work = timed();
  work.prepare();
  work.run();
  std::vector<std::pair<std::string, Tensor>> tensors = {{"query", query_.value().packed()},
                                                         {"keys", keys_.value().packed()},
                                                         {"values", values_.value().packed()},
                                                         {"context", context_.value().packed()}};
  if (setting_.backward) {
    tensors.emplace_back("d_context", d_context_.packed());
    tensors.emplace_back("d_query", query_.gradient().packed());
    tensors.emplace_back("d_keys", keys_.gradient().packed());
    tensors.emplace_back("d_values", values_.gradient().packed());
  }
  SafetensorsWriter writer;
  for (const auto& [name, tensor] : tensors) {
    writer.add(name, std::vector<std::size_t>(tensor.shape().begin(), tensor.shape().end()),
               tensor.span());
  }
  writer.write(path);
}

}  // namespace heed::cli
