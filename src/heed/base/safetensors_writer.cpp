// SPDX-License-Identifier: Apache-2.0
// Writing safetensors: header first, then the data, largest dtypes in front.
#include "heed/base/safetensors.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "heed/base/error.h"
#include "heed/base/half.h"
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

// The number in its stored form.
template <typename Stored, typename T>
Stored stored_number(DType dtype, T value) {
  if constexpr (std::is_same_v<Stored, std::uint16_t>) {
    const float odd = double_to_odd_float(static_cast<double>(value));
    return dtype == DType::kF16 ? float_to_f16(odd) : float_to_bf16(odd);
  } else {
    return static_cast<Stored>(value);
  }
}

template <typename Stored>
bool is_infinite(DType dtype, Stored number) {
  if constexpr (std::is_same_v<Stored, std::uint16_t>) {
    return std::isinf(dtype == DType::kF16 ? f16_to_float(number) : bf16_to_float(number));
  } else {
    return std::isinf(number);
  }
}

template <typename Stored, typename T>
std::vector<std::byte> stored_numbers(const std::string& name, DType dtype,
                                      std::span<const T> values) {
  std::vector<std::byte> bytes(values.size() * sizeof(Stored));
  std::byte* place = bytes.data();
  for (const T value : values) {
    const auto number = stored_number<Stored>(dtype, value);
    if (is_infinite(dtype, number) && !std::isinf(value)) {
      throw UsageError("safetensors: tensor \"{}\" holds {}, which {} has no room for; {}", name,
                       value, dtype_name(dtype),
                       dtype == DType::kF16 ? "BF16 reaches as far as F32" : "F64 has");
    }
    std::memcpy(place, &number, sizeof(Stored));
    place += sizeof(Stored);
  }
  return bytes;
}

}  // namespace

template <typename T>
void SafetensorsWriter::add_rounded(std::string name, DType dtype, std::vector<std::size_t> shape,
                                    std::span<const T> values) {
  if (!is_floating(dtype)) {
    throw UsageError("safetensors: tensor \"{}\" as {}; it takes F64, F32, F16 or BF16", name,
                     dtype_name(dtype));
  }
  std::vector<std::byte>& bytes = rounded_.emplace_back(
      dtype == DType::kF64   ? stored_numbers<double>(name, dtype, values)
      : dtype == DType::kF32 ? stored_numbers<float>(name, dtype, values)
                             : stored_numbers<std::uint16_t>(name, dtype, values));
  add(std::move(name), dtype, std::move(shape), std::span<const std::byte>(bytes));
}

template void SafetensorsWriter::add_rounded(std::string, DType, std::vector<std::size_t>,
                                             std::span<const float>);
template void SafetensorsWriter::add_rounded(std::string, DType, std::vector<std::size_t>,
                                             std::span<const double>);

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
