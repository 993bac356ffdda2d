// SPDX-License-Identifier: Apache-2.0
// The mean of several files, one tensor at a time.
#include "heed/training/average.h"

#include <algorithm>
#include <string>
#include <vector>

#include "heed/base/error.h"
#include "heed/base/safetensors.h"
#include "heed/base/text.h"
#include "heed/training/checkpoint.h"

namespace heed::training {
namespace {

bool is_checkpoint(const SafetensorsFile& file) {
  const auto format = file.metadata().find("format");
  return format != file.metadata().end() && format->second == kCheckpointFormat;
}

// The tensors to average: of a checkpoint those of the model.
std::vector<const TensorInfo*> weights_of(const SafetensorsFile& file) {
  std::vector<const TensorInfo*> weights;
  for (const TensorInfo& info : file.tensors()) {
    if (!is_checkpoint(file) || info.name.starts_with(kParameterPrefix)) weights.push_back(&info);
  }
  return weights;
}

std::string described(const TensorInfo& info) {
  return fmt::format("{} [{}]", dtype_name(info.dtype), fmt::join(info.shape, ","));
}

// Everything that keeps `other` from being averaged with `first`, one line each.
std::vector<std::string> differences(const SafetensorsFile& first, const SafetensorsFile& other) {
  std::vector<std::string> problems;
  for (const TensorInfo* info : weights_of(first)) {
    const TensorInfo* found = other.find(info->name);
    if (found == nullptr) {
      problems.push_back(fmt::format("missing: {}", info->name));
    } else if (found->shape != info->shape || found->dtype != info->dtype) {
      problems.push_back(
          fmt::format("{} is {}, not {}", info->name, described(*found), described(*info)));
    }
  }
  for (const TensorInfo* info : weights_of(other)) {
    if (first.find(info->name) == nullptr) {
      problems.push_back(fmt::format("only there: {}", info->name));
    }
  }
  return problems;
}

std::vector<double> mean_of(const std::vector<SafetensorsFile>& files, const std::string& name) {
  std::vector<double> sum(files.front().at(name).count());
  for (const SafetensorsFile& file : files) {
    const std::vector<double> values = file.read<double>(file.at(name));
    std::ranges::transform(sum, values, sum.begin(), std::plus());
  }
  for (double& value : sum) value /= static_cast<double>(files.size());
  return sum;
}

void require_equal(const std::vector<SafetensorsFile>& files, const std::string& name) {
  const auto first = files.front().bytes(files.front().at(name));
  for (const SafetensorsFile& file : files) {
    if (!std::ranges::equal(first, file.bytes(file.at(name)))) {
      throw DataError("{}: {} holds whole numbers other than those of {}; they have no mean",
                      file.name(), name, files.front().name());
    }
  }
}

}  // namespace

void average(std::span<const std::filesystem::path> inputs, const std::filesystem::path& output,
             const std::map<std::string, std::string>& metadata, std::optional<DType> dtype) {
  if (inputs.empty()) throw UsageError("average: no files; it takes one or more");
  std::vector<SafetensorsFile> files;
  for (const std::filesystem::path& path : inputs) files.emplace_back(path);
  const SafetensorsFile& first = files.front();
  for (const SafetensorsFile& file : files) {
    const std::vector<std::string> problems = differences(first, file);
    if (!problems.empty()) {
      throw DataError("{}: does not fit to {}:\n  {}", file.name(), first.name(),
                      join(problems, "\n  "));
    }
  }

  SafetensorsWriter writer;
  for (const auto& [key, value] : metadata) writer.set_metadata(key, value);
  for (const TensorInfo* info : weights_of(first)) {
    std::string name = info->name;
    if (is_checkpoint(first)) name.erase(0, kParameterPrefix.size());
    if (!is_floating(info->dtype)) {
      require_equal(files, info->name);
      writer.add(name, info->dtype, info->shape, first.bytes(*info));
      continue;
    }
    const std::vector<double> mean = mean_of(files, info->name);
    const DType usual = info->dtype == DType::kF64 ? DType::kF64 : DType::kF32;
    writer.add_rounded(name, dtype.value_or(usual), info->shape, std::span<const double>(mean));
  }
  writer.write(output);
}

}  // namespace heed::training
