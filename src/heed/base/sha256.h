// SPDX-License-Identifier: Apache-2.0
// SHA-256 (FIPS 180-4): the name by which others know a file's content.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#pragma GCC visibility push(default)  // exported

namespace heed {

// As 64 hexadecimal digits.
std::string sha256(std::span<const std::byte> bytes);

}  // namespace heed

#pragma GCC visibility pop
