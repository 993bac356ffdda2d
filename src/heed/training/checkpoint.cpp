// SPDX-License-Identifier: Apache-2.0
// One checkpoint as a file: what it holds, and whether it is what was written.
#include "heed/training/checkpoint.h"

#include <cstring>
#include <span>

#include "heed/base/error.h"
#include "heed/base/safetensors.h"

namespace heed::training {
namespace {

// FNV-1a over words of eight bytes, high bits folded back so that every bit reaches all others:
// safetensors has no check of its data, and a disk may lie.
class Checksum {
 public:
  void add(std::span<const std::byte> bytes) {
    std::size_t i = 0;
    for (; i + 8 <= bytes.size(); i += 8) mix(word(bytes.subspan(i, 8)));
    mix(word(bytes.subspan(i)));
    mix(bytes.size());
  }
  void add(std::string_view text) { add(std::as_bytes(std::span(text.data(), text.size()))); }
  std::string text() const { return fmt::format("{:016x}", state_); }

 private:
  static std::uint64_t word(std::span<const std::byte> bytes) {
    std::uint64_t value = 0;
    if (!bytes.empty()) std::memcpy(&value, bytes.data(), bytes.size());
    return value;
  }
  void mix(std::uint64_t value) {
    state_ = (state_ ^ value) * 0x100000001b3;
    state_ ^= state_ >> 32;
  }

  std::uint64_t state_ = 0xcbf29ce484222325;
};

std::string checksum_of(const Checkpoint& checkpoint) {
  Checksum sum;
  for (const auto& [name, tensor] : checkpoint.tensors) {
    sum.add(name);
    sum.add(tensor.shape().text());
    sum.add(std::as_bytes(tensor.span()));
  }
  for (const auto& [name, note] : checkpoint.notes) {
    sum.add(name);
    sum.add(note);
  }
  return sum.text();
}

}  // namespace

void Checkpoint::put(std::string_view part, const std::map<std::string, Tensor>& named) {
  for (const auto& [name, tensor] : named) {
    tensors.insert_or_assign(fmt::format("{}/{}", part, name), tensor.packed());
  }
}

std::map<std::string, Tensor> Checkpoint::part(std::string_view part) const {
  const std::string prefix = fmt::format("{}/", part);
  std::map<std::string, Tensor> named;
  for (auto at = tensors.lower_bound(prefix); at != tensors.end(); ++at) {
    if (!at->first.starts_with(prefix)) break;
    named.emplace(at->first.substr(prefix.size()), at->second);
  }
  return named;
}

const std::string& Checkpoint::note(const std::string& name) const {
  const auto found = notes.find(name);
  if (found == notes.end()) throw DataError("checkpoint: the note \"{}\" is missing", name);
  return found->second;
}

std::map<std::string, Tensor> parameter_values(const nn::Parameters& parameters) {
  std::map<std::string, Tensor> values;
  for (const nn::Parameter& parameter : parameters) {
    values.emplace(parameter.name, parameter.variable.value());
  }
  return values;
}

void restore_parameters(nn::Parameters parameters, const std::map<std::string, Tensor>& values) {
  for (const nn::Parameter& parameter : parameters) {
    const auto found = values.find(parameter.name);
    if (found == values.end()) throw DataError("parameter {} is missing", parameter.name);
    if (found->second.shape() != parameter.variable.shape()) {
      throw DataError("parameter {} has shape {}; the model takes {}", parameter.name,
                      found->second.shape().text(), parameter.variable.shape().text());
    }
  }
  if (values.size() != parameters.size()) {
    throw DataError("there are {} parameters; the model has {}", values.size(), parameters.size());
  }
  for (nn::Parameter& parameter : parameters) {
    parameter.variable.mutable_value().assign(values.at(parameter.name));
  }
}

void write_checkpoint(const Checkpoint& checkpoint, const std::filesystem::path& path) {
  SafetensorsWriter writer;
  for (const auto& [name, tensor] : checkpoint.tensors) {
    writer.add(name, {tensor.shape().begin(), tensor.shape().end()}, tensor.span());
  }
  for (const auto& [name, note] : checkpoint.notes) writer.set_metadata(name, note);
  writer.set_metadata("format", std::string(kCheckpointFormat));
  writer.set_metadata("checksum", checksum_of(checkpoint));
  writer.write(path);
}

Checkpoint read_checkpoint(const std::filesystem::path& path) {
  const SafetensorsFile file(path);
  Checkpoint checkpoint;
  checkpoint.notes = file.metadata();
  const auto take = [&](const char* name) {
    const auto node = checkpoint.notes.extract(name);
    return node.empty() ? std::string() : node.mapped();
  };
  const std::string format = take("format");
  const std::string checksum = take("checksum");
  if (format != kCheckpointFormat) {
    throw DataError("{}: its format is \"{}\"; a checkpoint's is \"{}\"", path.string(), format,
                    kCheckpointFormat);
  }
  for (const TensorInfo& info : file.tensors()) {
    if (info.dtype != dtype_of<Real>()) {
      throw DataError("{}: tensor \"{}\" holds {}; this build takes {}", path.string(), info.name,
                      dtype_name(info.dtype), dtype_name(dtype_of<Real>()));
    }
    const std::vector<std::int64_t> sizes(info.shape.begin(), info.shape.end());
    Tensor tensor{Shape(sizes)};
    file.read(info, std::span<Real>(tensor.mutable_data(), info.count()));
    checkpoint.tensors.emplace(info.name, std::move(tensor));
  }
  const std::string found = checksum_of(checkpoint);
  if (found != checksum) {
    throw DataError("{}: is damaged: its checksum is {}, and \"{}\" was written", path.string(),
                    found, checksum);
  }
  return checkpoint;
}

}  // namespace heed::training
