// SPDX-License-Identifier: Apache-2.0
// The header of a safetensors file: from untrusted bytes to checked entries.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "heed/base/safetensors.h"

namespace heed {

struct SafetensorsHeader {
  std::vector<TensorInfo> tensors;  // sorted by name
  std::map<std::string, std::string> metadata;
};

// Checks all of file's bytes but the values of the tensors. `path` is for messages.
SafetensorsHeader parse_safetensors_header(std::span<const std::byte> file,
                                           const std::string& path);

}  // namespace heed
