// SPDX-License-Identifier: Apache-2.0
// What a translator is given to read, and how many tokens there are of it.
#pragma once

#include <cstdint>

#pragma GCC visibility push(default)  // exported

namespace heed::pipeline {

// What a translator is given of its lines besides their tokens.
struct Reading {
  bool copies = false;           // source words, to be copied
  std::int64_t context = 0;      // sentences before each of its document
  bool written_context = false;  // their translations too

  bool operator==(const Reading&) const = default;
};

struct VocabularySizes {
  std::int64_t source = 0;
  std::int64_t target = 0;
};

}  // namespace heed::pipeline

#pragma GCC visibility pop
