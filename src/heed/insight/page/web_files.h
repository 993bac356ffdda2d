// SPDX-License-Identifier: Apache-2.0
// The files of web/, embedded into the library at build time (cmake/web.cmake).
#pragma once

#include <span>
#include <string_view>

#pragma GCC visibility push(default)  // exported

namespace heed::insight {

struct WebFile {
  std::string_view name;  // "matrix.js"
  std::string_view text;
};

// By name.
std::span<const WebFile> web_files();

}  // namespace heed::insight

#pragma GCC visibility pop
