// SPDX-License-Identifier: Apache-2.0
// Weights taken over by name and shape; word vectors by piece.
#include "heed/pipeline/starting_weights.h"

#include <algorithm>
#include <set>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/safetensors.h"
#include "heed/base/text.h"
#include "heed/pipeline/model_kind.h"
#include "heed/text/embeddings.h"
#include "heed/training/config_check.h"

namespace heed::pipeline {
namespace {

bool fits(const TensorInfo& info, const Shape& shape) {
  return std::ranges::equal(info.shape, shape, [](std::size_t a, std::int64_t b) {
    return static_cast<std::int64_t>(a) == b;
  });
}

// The options that decide which tensors a model has and how large they are.
std::set<std::string> options_of_models() {
  std::set<std::string> names;
  for (const ModelKind& kind : kinds()) {
    for (std::string& name : kind.shaping_options()) {
      if (name.find("dropout") == std::string::npos) names.insert(std::move(name));
    }
  }
  return names;
}

// "; these differ: --width is 64 here and 128 there"
std::string differing_options(const std::string& from, const Options& options) {
  const std::set<std::string> names = options_of_models();
  std::vector<std::string> parts;
  for (const auto& [name, here, there] :
       training::config_differences(read_file(ModelFolder{from}.config()), options.to_toml(), {})) {
    if (here.empty() || there.empty() || !names.contains(name)) continue;
    parts.push_back(fmt::format("--{} is {} here and {} there", name, here, there));
  }
  return parts.empty() ? "" : "; these differ: " + join(parts, ", ");
}

}  // namespace

TakenOver take_over(const std::string& from, nn::Parameters parameters, const Options& options) {
  const ModelFolder folder{from};
  folder.kind();  // refuses what is no model folder
  const SafetensorsFile file(folder.weights());
  TakenOver result;
  std::size_t matrices = 0;
  for (nn::Parameter& parameter : parameters) {
    const TensorInfo* info = file.find(parameter.name);
    Tensor& value = parameter.variable.mutable_value();
    if (info == nullptr || !fits(*info, value.shape())) {
      result.left.push_back(parameter.name);
      continue;
    }
    value.assign(Tensor::of(value.shape(), std::span<const Real>(file.read<Real>(*info))));
    ++result.taken;
    matrices += value.rank() > 1 ? 1 : 0;
  }
  if (matrices == 0) {
    throw UsageError(
        "--init-from {}: none of its matrices has the name and shape of one of this model; use the "
        "same kind and sizes of model{}",
        from, differing_options(from, options));
  }
  return result;
}

std::string TakenOver::text(const std::string& from) const {
  std::string line = fmt::format("{} of {} tensors come from {}", taken, taken + left.size(), from);
  if (!left.empty()) line += fmt::format("; left as they were: {}", join(left, ", "));
  return line;
}

void set_vectors(const std::string& file, const text::Tokeniser& tokeniser,
                 nn::Parameter parameter) {
  const text::Embeddings vectors = text::read_embeddings(file, tokeniser);
  Tensor& table = parameter.variable.mutable_value();
  if (static_cast<std::int64_t>(vectors.width) != table.size(1)) {
    throw UsageError("{}: vectors of {} numbers, and embeddings of {}; use --embedding {}", file,
                     vectors.width, table.size(1), vectors.width);
  }
  if (vectors.found == 0) {
    throw UsageError(
        "{}: none of its {} words is in the vocabulary; word vectors go best with "
        "--tokeniser words",
        file, vectors.read);
  }
  for (text::Token token = 0; token < tokeniser.size(); ++token) {
    const std::span<const float> vector = vectors.vector(token);
    std::ranges::copy(vector, table.mutable_data() + token * table.size(1));
  }
}

void start_from(const RunOptions& options, const nn::Parameters& parameters, const Print& print) {
  const std::string& folder = options.init_from;
  if (!folder.empty()) say(print, take_over(folder, parameters, options.list).text(folder));
}

void set_starting_weights(const StartingWeights& from, const text::Tokeniser& tokeniser,
                          const nn::Parameters& parameters, const Print& print) {
  start_from(*from.options, parameters, print);
  if (!from.embeddings.empty()) set_vectors(from.embeddings, tokeniser, parameters.front());
}

}  // namespace heed::pipeline
