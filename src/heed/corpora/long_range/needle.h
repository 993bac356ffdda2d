// SPDX-License-Identifier: Apache-2.0
// A fact in a long text, asked for at its end: "... The key of Anna is green. ... What colour is
// the key of Anna?"
#pragma once

#include <cstdint>

#include "heed/base/random.h"
#include "heed/corpora/corpus.h"

namespace heed::corpora {

inline constexpr std::int64_t kMostNeedles = 8;

struct NeedleOptions {
  std::int64_t words = 400;   // of the whole text, the question included
  std::int64_t facts = 1;     // about as many people; one of them is asked for
  std::int64_t within = 100;  // percent of the text, from its beginning, in which the facts lie
  std::int64_t turn = 0;      // decides the colour that is right
};

// The label is the colour of the key that is asked for; the evidence are the words of its fact.
// What lies around speaks of the same colours, but of no keys. UsageError for a text that is too
// short for its facts.
Example draw_needle(Random& random, const NeedleOptions& options);

}  // namespace heed::corpora
