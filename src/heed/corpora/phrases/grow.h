// SPDX-License-Identifier: Apache-2.0
// Growing sentences at random: trees that make sense, and whose English has one right translation.
#pragma once

#include <cstdint>

#include "heed/base/random.h"
#include "heed/corpora/phrases/tree.h"

namespace heed::corpora::phrases {

struct GrowOptions {
  int clauses = 1;
  int relatives = 1;  // how deep relative clauses may be in each other
};

// What English leaves open is not grown: a participle or adjective that would have to agree with
// "I", "we" or "you"; "read" in the past; "it" for things.
Sentence grow_sentence(Random& random, const GrowOptions& options);

}  // namespace heed::corpora::phrases
