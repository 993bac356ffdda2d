// SPDX-License-Identifier: Apache-2.0
// Safetensors files, whole or in shards.
#include "heed/pipeline/foreign/foreign_weights.h"

#include <algorithm>
#include <utility>

#include "heed/base/error.h"
#include "heed/base/json.h"
#include "heed/base/pytorch_file.h"
#include "heed/base/safetensors.h"
#include "heed/base/text.h"

namespace heed::pipeline {
namespace {

namespace fs = std::filesystem;

constexpr const char* kWhole = "model.safetensors";
constexpr const char* kIndex = "model.safetensors.index.json";
constexpr const char* kPytorch = "pytorch_model.bin";
constexpr const char* kPytorchIndex = "pytorch_model.bin.index.json";

std::vector<fs::path> safetensors_in(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".safetensors") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

std::vector<ForeignTensor> safetensors_tensors(const fs::path& path) {
  const auto file = std::make_shared<const SafetensorsFile>(path);
  std::vector<ForeignTensor> tensors;
  for (const TensorInfo& info : file->tensors()) {
    tensors.push_back(
        {.stored_name = info.name,
         .file = path.string(),
         .dtype = info.dtype,
         .shape = info.shape,
         .count = info.count(),
         .read = [file, info](std::span<Real> values) { file->read<Real>(info, values); }});
  }
  return tensors;
}

std::vector<ForeignTensor> pytorch_tensors(const fs::path& path) {
  const auto file = std::make_shared<const PytorchFile>(path);
  std::vector<ForeignTensor> tensors;
  for (const PytorchTensor& one : file->tensors()) {
    tensors.push_back(
        {.stored_name = one.name,
         .file = path.string(),
         .dtype = one.dtype,
         .shape = one.shape,
         .count = one.count,
         .read = [file, one](std::span<Real> values) { file->read<Real>(one, values); }});
  }
  return tensors;
}

[[noreturn]] void refuse_files(const fs::path& folder, std::size_t files) {
  throw DataError(
      "{}: {}; it takes {}, or {} with the shards it names, or one other .safetensors file, or {}",
      folder.string(),
      files == 0 ? std::string("there are no weights")
                 : fmt::format("{} .safetensors files, and none says which", files),
      kWhole, kIndex, kPytorch);
}

}  // namespace

const std::string& plain_name(const JsonPlace& place) {
  const std::string& name = place.text();
  const bool plain = !name.empty() && name.find('/') == name.npos && name.find('\\') == name.npos &&
                     name.find('\0') == name.npos && name != "." && name != "..";
  if (!plain) {
    place.fail("\"{}\" lies elsewhere; it takes a name in the same folder", shorten(name, 60));
  }
  return name;
}

std::string shape_text(std::span<const std::size_t> shape) {
  std::vector<std::string> sizes;
  for (const std::size_t size : shape) sizes.push_back(fmt::to_string(size));
  return fmt::format("[{}]", join(sizes, ", "));
}

ForeignWeights::ForeignWeights(const fs::path& folder) {
  std::error_code ignored;
  const auto has = [&](const char* file) { return fs::exists(folder / file, ignored); };
  const std::vector<fs::path> files = safetensors_in(folder);
  if (has(kWhole)) {
    add_file(folder / kWhole, nullptr);
  } else if (has(kIndex)) {
    add_shards(folder, kIndex);
  } else if (files.size() == 1) {
    add_file(files.front(), nullptr);
  } else if (files.empty() && has(kPytorch)) {
    add_file(folder / kPytorch, nullptr);
  } else if (files.empty() && has(kPytorchIndex)) {
    add_shards(folder, kPytorchIndex);
  } else {
    refuse_files(folder, files.size());
  }
}

void ForeignWeights::add_shards(const fs::path& folder, const char* index) {
  const fs::path path = folder / index;
  const Json json = Json::parse(read_file(path), path.string());
  const JsonPlace map = JsonPlace(json, path.string()).at("weight_map");
  std::map<std::string, Shard> shards;
  for (const auto& [tensor, file] : map.object()) {
    const JsonPlace place(file, fmt::format("{}: \"{}\"", map.place(), tensor));
    Shard& shard = shards[plain_name(place)];
    shard.index = path.string();
    shard.tensors.insert(tensor);
  }
  if (shards.empty()) map.fail("no shard; it takes one for each tensor");
  std::error_code ignored;
  for (const auto& [file, shard] : shards) {
    if (!fs::exists(folder / file, ignored)) {
      throw DataError("{}: {} names it, and it is missing; fetch it again",
                      (folder / file).string(), index);
    }
    add_file(folder / file, &shard);
  }
}

void ForeignWeights::add_file(const fs::path& path, const Shard* shard) {
  files_.push_back(path);
  const std::vector<ForeignTensor> found =
      path.extension() == ".bin" ? pytorch_tensors(path) : safetensors_tensors(path);
  std::set<std::string> names;
  for (const ForeignTensor& tensor : found) {
    const std::string name = tensor.stored_name;
    names.insert(name);
    if (shard != nullptr && !shard->tensors.contains(name)) {
      throw DataError("{}: \"{}\", which the index does not name; fetch both files again",
                      path.string(), name);
    }
    if (!tensors_.emplace(name, tensor).second) {
      throw DataError("{}: \"{}\" is in another shard as well; fetch the files again",
                      path.string(), name);
    }
  }
  if (shard == nullptr) return;
  for (const std::string& name : shard->tensors) {
    if (!names.contains(name)) {
      throw DataError("{}: \"{}\" is missing, which {} says is there; fetch both files again",
                      path.string(), name, shard->index);
    }
  }
}

void ForeignWeights::strip(std::string_view prefix) {
  std::map<std::string, ForeignTensor> renamed;
  for (auto& [name, tensor] : tensors_) {
    std::string known = name;
    if (!prefix.empty() && known.starts_with(prefix)) known.erase(0, prefix.size());
    for (const auto& [early, late] :
         {std::pair<std::string_view, std::string_view>{"LayerNorm.gamma", "LayerNorm.weight"},
          {"LayerNorm.beta", "LayerNorm.bias"}}) {
      if (known.ends_with(early)) known.replace(known.size() - early.size(), early.size(), late);
    }
    const std::string stored = tensor.stored_name;
    const auto [other, fresh] = renamed.emplace(known, std::move(tensor));
    if (!fresh) {
      throw DataError("{}: \"{}\" and \"{}\" are the same tensor by two names", other->second.file,
                      other->second.stored_name, stored);
    }
  }
  tensors_ = std::move(renamed);
}

const ForeignTensor* ForeignWeights::find(const std::string& name) const {
  const auto found = tensors_.find(name);
  return found == tensors_.end() ? nullptr : &found->second;
}

bool ForeignWeights::same(const ForeignTensor& one, const ForeignTensor& other) const {
  if (one.shape != other.shape) return false;
  std::vector<Real> first(one.count), second(other.count);
  one.read(first);
  other.read(second);
  return first == second;
}

}  // namespace heed::pipeline
