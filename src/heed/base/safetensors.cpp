// SPDX-License-Identifier: Apache-2.0
// Reading the tensors of a safetensors file, with conversion between the dtypes.
#include "heed/base/safetensors.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <utility>

#include "heed/base/error.h"
#include "heed/base/half.h"
#include "heed/base/safetensors_header.h"
#include "heed/base/text.h"

namespace heed {
namespace {

static_assert(std::endian::native == std::endian::little,
              "safetensors are little-endian, and so are the machines Heed runs on");

// One stored value; the data of a foreign file may lie anywhere, so no pointer is cast.
template <typename Stored>
Stored load(const std::byte* at) {
  Stored value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

// Fills values by fits(stored, value) -> whether it fits; the index of the first that does not, or
// the count.
template <typename Stored, typename T, typename Convert>
std::size_t convert(const std::byte* data, std::span<T> values, Convert fits) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!fits(load<Stored>(data + i * sizeof(Stored)), values[i])) return i;
  }
  return values.size();
}

template <typename T>
std::size_t read_floats(DType dtype, const std::byte* data, std::span<T> values) {
  switch (dtype) {
    case DType::kF16:
      return convert<std::uint16_t>(data, values, [](std::uint16_t stored, T& value) {
        value = f16_to_float(stored);
        return true;
      });
    case DType::kBF16:
      return convert<std::uint16_t>(data, values, [](std::uint16_t stored, T& value) {
        value = bf16_to_float(stored);
        return true;
      });
    case DType::kF32:
      return convert<float>(data, values, [](float stored, T& value) {
        value = stored;
        return true;
      });
    default:
      return convert<double>(data, values, [](double stored, T& value) {
        // A finite number that becomes infinite would be silent damage. Converting one beyond
        // float's range is also undefined, hence the comparison first: 2^128 - 2^103 is where
        // rounding reaches infinity.
        if constexpr (std::is_same_v<T, float>) {
          constexpr double kTooLarge = 0x1.ffffffp127;
          if (std::isfinite(stored) && std::abs(stored) >= kTooLarge) return false;
        }
        value = static_cast<T>(stored);
        return true;
      });
  }
}

template <typename Stored, typename T>
std::size_t read_wholes_of(const std::byte* data, std::span<T> values) {
  return convert<Stored>(data, values, [](Stored stored, T& value) {
    value = static_cast<T>(stored);  // NOLINT(bugprone-signed-char-misuse): I8 is a number
    return std::in_range<T>(stored);
  });
}

template <typename T>
std::size_t read_wholes(DType dtype, const std::byte* data, std::span<T> values) {
  switch (dtype) {
    case DType::kI64:
      return read_wholes_of<std::int64_t>(data, values);
    case DType::kI32:
      return read_wholes_of<std::int32_t>(data, values);
    case DType::kI8:
      return read_wholes_of<std::int8_t>(data, values);
    case DType::kU8:
      return read_wholes_of<std::uint8_t>(data, values);
    default:  // BOOL
      return convert<std::uint8_t>(data, values, [](std::uint8_t stored, T& value) {
        value = static_cast<T>(stored);
        return stored <= 1;
      });
  }
}

}  // namespace

SafetensorsFile::SafetensorsFile(const std::filesystem::path& path)
    : SafetensorsFile(MappedFile(path), {}, path.string()) {}

SafetensorsFile SafetensorsFile::from_memory(std::span<const std::byte> bytes, std::string name) {
  return {MappedFile(), bytes, std::move(name)};
}

SafetensorsFile::SafetensorsFile(MappedFile file, std::span<const std::byte> bytes,
                                 std::string name)
    : file_(std::move(file)),
      bytes_(bytes.empty() ? file_.bytes() : bytes),
      name_(std::move(name)) {
  SafetensorsHeader header = parse_safetensors_header(bytes_, name_);
  tensors_ = std::move(header.tensors);
  metadata_ = std::move(header.metadata);
}

const TensorInfo* SafetensorsFile::find(std::string_view name) const {
  const auto place = std::ranges::lower_bound(tensors_, name, {}, &TensorInfo::name);
  return place != tensors_.end() && place->name == name ? &*place : nullptr;
}

const TensorInfo& SafetensorsFile::at(std::string_view name) const {
  if (const TensorInfo* info = find(name)) return *info;
  std::vector<std::string> names;
  for (const TensorInfo& info : tensors_) names.push_back(info.name);
  throw DataError("{}: has no tensor \"{}\"{}", name_, name, did_you_mean(name, names));
}

std::span<const std::byte> SafetensorsFile::bytes(const TensorInfo& info) const {
  // Guards against an info of another file; those of this one were checked.
  if (info.offset > bytes_.size() || info.bytes > bytes_.size() - info.offset) {
    throw InternalError("{}: tensor \"{}\" is not of this file", name_, info.name);
  }
  return bytes_.subspan(info.offset, info.bytes);
}

template <typename T>
void SafetensorsFile::read(const TensorInfo& info, std::span<T> values) const {
  const std::span<const std::byte> data = bytes(info);
  if (values.size() != info.count()) {
    throw UsageError("{}: tensor \"{}\" has {} values, and there is room for {}", name_, info.name,
                     info.count(), values.size());
  }
  if (info.dtype == dtype_of<T>()) {
    if (!data.empty()) std::memcpy(values.data(), data.data(), data.size());
    return;
  }
  if (is_floating(info.dtype) != std::is_floating_point_v<T>) {
    throw DataError("{}: byte {}: tensor \"{}\" holds {}, and {} are needed", name_, info.offset,
                    info.name, dtype_name(info.dtype),
                    std::is_floating_point_v<T> ? "floating-point numbers" : "whole numbers");
  }
  std::size_t done = 0;
  if constexpr (std::is_floating_point_v<T>) {
    done = read_floats(info.dtype, data.data(), values);
  } else {
    done = read_wholes(info.dtype, data.data(), values);
  }
  if (done != values.size()) {
    throw DataError("{}: byte {}: value {} of tensor \"{}\" ({}) does not fit into {}", name_,
                    info.offset + done * dtype_bytes(info.dtype), done, info.name,
                    dtype_name(info.dtype),
                    info.dtype == DType::kBool ? "0 or 1" : dtype_name(dtype_of<T>()));
  }
}

template <typename T>
std::vector<T> SafetensorsFile::read(const TensorInfo& info) const {
  std::vector<T> values(bytes(info).size() / dtype_bytes(info.dtype));
  read(info, std::span<T>(values));
  return values;
}

template std::vector<float> SafetensorsFile::read(const TensorInfo&) const;
template std::vector<double> SafetensorsFile::read(const TensorInfo&) const;
template std::vector<std::int64_t> SafetensorsFile::read(const TensorInfo&) const;
template std::vector<std::int32_t> SafetensorsFile::read(const TensorInfo&) const;
template std::vector<std::int8_t> SafetensorsFile::read(const TensorInfo&) const;
template std::vector<std::uint8_t> SafetensorsFile::read(const TensorInfo&) const;
template void SafetensorsFile::read(const TensorInfo&, std::span<float>) const;
template void SafetensorsFile::read(const TensorInfo&, std::span<double>) const;
template void SafetensorsFile::read(const TensorInfo&, std::span<std::int64_t>) const;
template void SafetensorsFile::read(const TensorInfo&, std::span<std::int32_t>) const;
template void SafetensorsFile::read(const TensorInfo&, std::span<std::int8_t>) const;
template void SafetensorsFile::read(const TensorInfo&, std::span<std::uint8_t>) const;

}  // namespace heed
