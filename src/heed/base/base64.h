// SPDX-License-Identifier: Apache-2.0
// Base64 (RFC 4648): bytes as text that any file or page can hold.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#pragma GCC visibility push(default)  // exported

namespace heed {

// With padding, without line breaks.
std::string base64_encode(std::string_view bytes);

// Nothing for text that is not what base64_encode writes: another letter, a wrong length, bits left
// over before the padding.
std::optional<std::string> base64_decode(std::string_view text);

}  // namespace heed

#pragma GCC visibility pop
