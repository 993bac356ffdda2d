// SPDX-License-Identifier: Apache-2.0
// The document in the metadata, each head a tensor, masks beside them.
#include "heed/insight/trace/trace_safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <list>
#include <set>

#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/insight/trace/trace_json.h"

namespace heed::insight {
namespace {

constexpr const char* kMetadata = "trace";
constexpr const char* kMaskSuffix = ".masked";

std::string name_of(std::size_t example, std::size_t attention, const TracedHead& head) {
  return fmt::format("examples.{}.attentions.{}.layer.{}.head.{}", example, attention, head.layer,
                     head.head);
}

std::string shape_text(const std::vector<std::size_t>& shape) {
  return fmt::format("[{}]", fmt::join(shape, ","));
}

// The tensor of this name and shape, as T.
template <typename T>
std::vector<T> values_of(const SafetensorsFile& file, const TensorInfo& info,
                         const std::vector<std::size_t>& shape) {
  if (info.shape != shape) {
    throw DataError("{}: {}: the shape is {}, but the tokens of queries and keys take {}",
                    file.name(), info.name, shape_text(info.shape), shape_text(shape));
  }
  return file.read<T>(info);
}

Tensor weights_of(const SafetensorsFile& file, const std::string& name,
                  const std::vector<std::size_t>& shape) {
  const std::vector<float> values = values_of<float>(file, file.at(name), shape);
  const auto wrong = std::ranges::find_if(values, [](float value) { return std::isnan(value); });
  if (wrong != values.end()) {
    const auto at = static_cast<std::size_t>(wrong - values.begin());
    throw DataError(
        "{}: {}: weight [{}][{}] is NaN; masked cells are in the tensor \"{}{}\", with any "
        "number "
        "here",
        file.name(), name, at / shape[1], at % shape[1], name, kMaskSuffix);
  }
  Tensor weights({static_cast<std::int64_t>(shape[0]), static_cast<std::int64_t>(shape[1])});
  Real* out = weights.mutable_data();
  std::ranges::copy(values, out);
  if (const TensorInfo* info = file.find(name + kMaskSuffix); info != nullptr) {
    const std::vector<std::uint8_t> masked = values_of<std::uint8_t>(file, *info, shape);
    for (std::size_t i = 0; i < masked.size(); ++i) {
      if (masked[i] != 0) out[i] = kMasked;
    }
  }
  return weights;
}

}  // namespace

TraceDocument read_trace_safetensors(const SafetensorsFile& file) {
  const auto head = file.metadata().find(kMetadata);
  if (head == file.metadata().end()) {
    throw DataError("{}: there is no trace in it: its metadata have no key \"{}\"", file.name(),
                    kMetadata);
  }
  TraceDocument document = parse_trace_json_without_weights(head->second, file.name());
  std::set<std::string> known;
  for (std::size_t e = 0; e < document.examples.size(); ++e) {
    TracedExample& example = document.examples[e];
    for (std::size_t a = 0; a < example.attentions.size(); ++a) {
      AttentionSet& set = example.attentions[a];
      const std::vector<std::size_t> shape = {strip_of(example, set.queries).tokens.size(),
                                              strip_of(example, set.keys).tokens.size()};
      for (TracedHead& one : set.heads) {
        const std::string name = name_of(e, a, one);
        one.weights = weights_of(file, name, shape);
        known.insert(name);
        known.insert(name + kMaskSuffix);
      }
    }
  }
  for (const TensorInfo& info : file.tensors()) {
    if (known.contains(info.name)) continue;
    throw DataError("{}: the tensor \"{}\" belongs to no head of the trace{}", file.name(),
                    shorten(info.name, 80),
                    did_you_mean(info.name, std::vector(known.begin(), known.end())));
  }
  try {
    check(document, file.name());
  } catch (const UsageError& error) {
    throw DataError(error.what());
  }
  return document;
}

void write_trace_safetensors(const std::filesystem::path& path, const TraceDocument& document) {
  check(document, path.string());
  SafetensorsWriter writer;
  writer.set_metadata(kMetadata, to_trace_json_without_weights(document));
  // The writer keeps no copies.
  std::list<std::vector<float>> numbers;
  std::list<std::vector<std::uint8_t>> masks;
  for (std::size_t e = 0; e < document.examples.size(); ++e) {
    const TracedExample& example = document.examples[e];
    for (std::size_t a = 0; a < example.attentions.size(); ++a) {
      for (const TracedHead& head : example.attentions[a].heads) {
        const std::vector<std::size_t> shape = {static_cast<std::size_t>(head.weights.size(0)),
                                                static_cast<std::size_t>(head.weights.size(1))};
        std::vector<float>& values = numbers.emplace_back();
        std::vector<std::uint8_t>& masked = masks.emplace_back();
        for (const Real weight : head.weights.values()) {
          values.push_back(static_cast<float>(attention::share_of(weight)));
          masked.push_back(attention::is_masked(weight) ? 1 : 0);
        }
        const std::string name = name_of(e, a, head);
        writer.add(name, shape, values);
        if (std::ranges::count(masked, 1) > 0) writer.add(name + kMaskSuffix, shape, masked);
      }
    }
  }
  writer.write(path);
}

}  // namespace heed::insight
