// SPDX-License-Identifier: Apache-2.0
// The version the library was built with.
#include "heed/version.h"

namespace heed {

const char* version() noexcept {
  return HEED_VERSION;
}

int version_number() noexcept {
  return HEED_VERSION_NUMBER;
}

}  // namespace heed
