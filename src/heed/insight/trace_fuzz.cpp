// SPDX-License-Identifier: Apache-2.0
// libFuzzer target of the readers of traces.
#include "heed/insight/trace_fuzz.h"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  heed::test::parse_as_trace({reinterpret_cast<const char*>(data), size});
  return 0;
}
