// SPDX-License-Identifier: Apache-2.0
// The kinds of numbers a file can hold, by the names safetensors gives them.
#pragma once  // public header

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

#pragma GCC visibility push(default)  // exported

namespace heed {

enum class DType { kF64, kI64, kF32, kI32, kF16, kBF16, kI8, kU8, kBool };

struct DTypeCard {
  DType dtype;
  std::string_view name;
  std::size_t bytes;
};

// Largest first, in the order of the enumeration.
inline constexpr std::array<DTypeCard, 9> kDTypes = {{{DType::kF64, "F64", 8},
                                                      {DType::kI64, "I64", 8},
                                                      {DType::kF32, "F32", 4},
                                                      {DType::kI32, "I32", 4},
                                                      {DType::kF16, "F16", 2},
                                                      {DType::kBF16, "BF16", 2},
                                                      {DType::kI8, "I8", 1},
                                                      {DType::kU8, "U8", 1},
                                                      {DType::kBool, "BOOL", 1}}};

constexpr std::string_view dtype_name(DType dtype) {
  return kDTypes[static_cast<std::size_t>(dtype)].name;
}

constexpr std::size_t dtype_bytes(DType dtype) {
  return kDTypes[static_cast<std::size_t>(dtype)].bytes;
}

constexpr bool is_floating(DType dtype) {
  return dtype == DType::kF64 || dtype == DType::kF32 || dtype == DType::kF16 ||
         dtype == DType::kBF16;
}

constexpr std::optional<DType> dtype_from_name(std::string_view name) {
  for (const DTypeCard& card : kDTypes) {
    if (card.name == name) return card.dtype;
  }
  return std::nullopt;
}

// The dtype that stores a C++ type as it is.
template <typename T>
constexpr DType dtype_of() {
  if constexpr (std::is_same_v<T, double>) {
    return DType::kF64;
  } else if constexpr (std::is_same_v<T, float>) {
    return DType::kF32;
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    return DType::kI64;
  } else if constexpr (std::is_same_v<T, std::int32_t>) {
    return DType::kI32;
  } else if constexpr (std::is_same_v<T, std::int8_t>) {
    return DType::kI8;
  } else {
    static_assert(std::is_same_v<T, std::uint8_t>, "no dtype stores this type as it is");
    return DType::kU8;
  }
}

}  // namespace heed

#pragma GCC visibility pop
