// SPDX-License-Identifier: Apache-2.0
// Weights, sentences, outputs and their log-probabilities as one safetensors file.
#include "cli/bench/translate/translation_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "heed/autograd/ops.h"
#include "heed/base/safetensors.h"

namespace heed::cli {
namespace {

std::vector<std::size_t> sizes(const Shape& shape) {
  return {shape.begin(), shape.end()};
}

models::Sequences targets(const std::vector<decoding::Hypothesis>& outputs) {
  std::vector<text::Tokens> rows;
  for (const decoding::Hypothesis& output : outputs) {
    rows.push_back(output.tokens);
    if (output.finished) rows.back().push_back(text::kEnd);
  }
  return models::sequences(text::pad_rows(rows));
}

}  // namespace

void write_record(const TranslationWork& work,
                  const std::vector<std::vector<decoding::Hypothesis>>& outputs,
                  const std::filesystem::path& path) {
  const NoGradient values_only;
  SafetensorsWriter writer;
  std::vector<Tensor> values;  // what the writer reads must live until it has written
  std::vector<Ids> ids;
  const auto add = [&](const std::string& name, const Tensor& tensor) {
    values.push_back(tensor.packed());
    writer.add(name, sizes(tensor.shape()), values.back().span());
  };
  const auto add_ids = [&](const std::string& name, const Ids& tokens) {
    ids.push_back(tokens.packed());
    writer.add(name, sizes(tokens.shape()), ids.back().span());
  };
  for (const nn::Parameter& parameter : nn::parameters(*work.model)) {
    add("model." + parameter.name, parameter.variable.value());
  }
  for (std::size_t i = 0; i < work.batches.size(); ++i) {
    const models::Sequences& source = work.batches[i];
    const models::Sequences target = targets(outputs[i]);
    const Variable logits = work.model->decode(work.model->encode(source, {}), target, {}).logits;
    const std::string batch = fmt::format("{}.", i);
    add_ids(batch + "source", source.ids);
    add_ids(batch + "source_lengths", source.lengths);
    add_ids(batch + "target", target.ids);
    add_ids(batch + "target_lengths", target.lengths);
    const Variable lost =
        cross_entropy(logits, models::packed_targets(target), {.reduction = Reduction::none});
    add(batch + "log_probabilities", (-lost).value());
  }
  const decoding::Constraints& limits = work.constraints;
  writer.set_metadata("heads", std::to_string(work.heads));
  writer.set_metadata("least", fmt::format("{}", limits.least.constant));
  writer.set_metadata("most_per_source", fmt::format("{}", limits.most.per_source));
  writer.set_metadata("most", fmt::format("{}", limits.most.constant));
  const bool ends = std::ranges::count(limits.forbidden, text::kEnd) == 0;
  writer.set_metadata("ends", ends ? "yes" : "no");
  writer.write(path);
}

}  // namespace heed::cli
