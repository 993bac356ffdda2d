// SPDX-License-Identifier: Apache-2.0
// What libFuzzer calls: the one target that the program holds.
#include <cstddef>
#include <cstdint>

#include "heed/base/fuzzing.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // libFuzzer gives a heap block of exactly this size: AddressSanitizer sees the first byte read
  // beyond it.
  heed::test::FuzzTarget::listed().front().read({reinterpret_cast<const char*>(data), size});
  return 0;
}
