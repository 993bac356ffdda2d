// SPDX-License-Identifier: Apache-2.0
// The version: of these headers, by macros, and of the library that is linked, by functions.
#pragma once  // public header

// Until 1.0 a minor version may change the interface; the library's name on disk has it, so that a
// program never meets another one than it was built for.
#define HEED_VERSION_MAJOR 0
#define HEED_VERSION_MINOR 1
#define HEED_VERSION_PATCH 0
// 102 for 0.1.2: HEED_VERSION_NUMBER >= 102
#define HEED_VERSION_NUMBER \
  (HEED_VERSION_MAJOR * 10000 + HEED_VERSION_MINOR * 100 + HEED_VERSION_PATCH)

#pragma GCC visibility push(default)  // exported

namespace heed {

const char* version() noexcept;  // "0.1.0"
int version_number() noexcept;   // as HEED_VERSION_NUMBER

}  // namespace heed

#pragma GCC visibility pop
