// SPDX-License-Identifier: Apache-2.0
// How large a batch may be.
#pragma once  // public header

#include <cstdint>

#pragma GCC visibility push(default)  // exported

namespace heed::text {

struct BatchSize {
  // rows x width of the wider side, padding counted. A longer sequence is a batch of its own.
  std::int64_t tokens = 4096;
  std::int64_t sentences = 0;  // above 0 this decides, and tokens do not
};

}  // namespace heed::text

#pragma GCC visibility pop
