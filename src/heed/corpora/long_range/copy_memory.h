// SPDX-License-Identifier: Apache-2.0
// Letters, then nothing for a long time, then the question which letter it was: memory over
// thousands of steps (after Hochreiter & Schmidhuber 1997 and Arjovsky et al. 2016).
#pragma once

#include <cstdint>

#include "heed/base/random.h"
#include "heed/corpora/corpus.h"

namespace heed::corpora {

inline constexpr std::int64_t kCopyLetters = 8;  // a to h

// "c a f b - - - - - - 3" is labelled f: `letters` of them, then blanks, then the number of the one
// that is asked for, from 1; `words` in all. The evidence is its place. UsageError where there is
// no room for a blank.
Example draw_copy_memory(Random& random, std::int64_t letters, std::int64_t words,
                         std::int64_t turn);

}  // namespace heed::corpora
