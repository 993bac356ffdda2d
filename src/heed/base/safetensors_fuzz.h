// SPDX-License-Identifier: Apache-2.0
// What the fuzz target does with one input, shared with the test that replays its corpus.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "heed/base/error.h"
#include "heed/base/safetensors.h"

namespace heed::test {

// Parses bytes as a safetensors file and reads every tensor in every form. False when the file is
// refused with a DataError; any other exception is a finding.
inline bool parse_and_read_everything(std::span<const std::byte> bytes) {
  const auto try_to = [](auto&& action) {
    try {
      action();
      return true;
    } catch (const DataError&) {
      return false;
    }
  };
  return try_to([&] {
    const SafetensorsFile file = SafetensorsFile::from_memory(bytes, "input");
    for (const TensorInfo& info : file.tensors()) {
      // A value that does not fit is a DataError of that reading, not of the file.
      try_to([&] { file.read<float>(info); });
      try_to([&] { file.read<double>(info); });
      try_to([&] { file.read<std::int64_t>(info); });
      try_to([&] { file.read<std::int32_t>(info); });
      try_to([&] { file.read<std::int8_t>(info); });
      try_to([&] { file.read<std::uint8_t>(info); });
      if (file.find(info.name) != &info) throw InternalError("a tensor is not found by its name");
    }
  });
}

}  // namespace heed::test
