// SPDX-License-Identifier: Apache-2.0
// Writing safetensors: header first, then the data, largest dtypes in front.
#include "heed/base/safetensors.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "heed/base/error.h"
#include "heed/base/text.h"

namespace heed {
namespace {

std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump();
}

void require_utf8(std::string_view text, std::string_view what) {
  const std::size_t bad = invalid_utf8(text);
  if (bad != text.npos) {
    throw UsageError("safetensors: {} \"{}...\" is not UTF-8 at byte {}", what, text.substr(0, bad),
                     bad);
  }
}

}  // namespace

void SafetensorsWriter::add(std::string name, DType dtype, std::vector<std::size_t> shape,
                            std::span<const std::byte> data) {
  if (name.empty()) throw UsageError("safetensors: a tensor needs a name, and this one is empty");
  if (name == "__metadata__") {
    throw UsageError("safetensors: the name __metadata__ is taken by the format");
  }
  require_utf8(name, "the tensor name");
  std::size_t needed = dtype_bytes(dtype);
  bool overflow = false;
  for (const std::size_t size : shape) {
    overflow = __builtin_mul_overflow(needed, size, &needed) || overflow;
  }
  if (overflow || needed != data.size()) {
    throw UsageError("safetensors: tensor \"{}\" of shape [{}] and dtype {} is given {} bytes",
                     name, fmt::join(shape, ", "), dtype_name(dtype), data.size());
  }
  const auto [place, added] = entries_.try_emplace(std::move(name), Entry{dtype, {}, data});
  if (!added) throw UsageError("safetensors: there are two tensors \"{}\"", place->first);
  place->second.shape = std::move(shape);
}

void SafetensorsWriter::set_metadata(std::string key, std::string value) {
  require_utf8(key, "the metadata key");
  require_utf8(value, "the metadata value");
  metadata_.insert_or_assign(std::move(key), std::move(value));
}

void SafetensorsWriter::write(const std::filesystem::path& path) const {
  std::vector<const std::pair<const std::string, Entry>*> order;
  for (const auto& entry : entries_) order.push_back(&entry);
  // Stable over the map's order by name. Sizes fall from 8 to 1, so each tensor begins at a
  // multiple of its value's size.
  std::ranges::stable_sort(order, std::ranges::greater(),
                           [](const auto* entry) { return dtype_bytes(entry->second.dtype); });

  std::string header = "{";
  const auto comma = [&header] {
    if (header.size() > 1) header += ',';
  };
  if (!metadata_.empty()) {
    header += fmt::format("\"__metadata__\":{}", nlohmann::json(metadata_).dump());
  }
  std::uint64_t offset = 0;
  for (const auto* entry : order) {
    const auto& [name, tensor] = *entry;
    comma();
    header += fmt::format("{}:{{\"dtype\":\"{}\",\"shape\":[{}],\"data_offsets\":[{},{}]}}",
                          quoted(name), dtype_name(tensor.dtype), fmt::join(tensor.shape, ","),
                          offset, offset + tensor.data.size());
    offset += tensor.data.size();
  }
  header += '}';
  header.append((8 - header.size() % 8) % 8, ' ');
  if (header.size() > kMostSafetensorsHeaderBytes) {
    throw UsageError("safetensors: {} tensors make a header of {} bytes; {} are allowed",
                     entries_.size(), header.size(), kMostSafetensorsHeaderBytes);
  }

  write_atomically(path, [&](AtomicFile& file) {
    std::string size(8, '\0');
    for (std::size_t i = 0; i < 8; ++i) {
      size[i] = static_cast<char>(static_cast<std::uint64_t>(header.size()) >> (8 * i));
    }
    file.write(size);
    file.write(header);
    for (const auto* entry : order) file.write(entry->second.data);
  });
}

}  // namespace heed
