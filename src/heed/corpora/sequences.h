// SPDX-License-Identifier: Apache-2.0
// Sequences of letters to copy, to reverse and to sort.
#pragma once

#include <cstdint>

#include "heed/base/random.h"
#include "heed/corpora/corpus.h"

namespace heed::corpora {

enum class SequenceTask { copy, reverse, sort };

// A source of `length` letters, spaces between them; each is linked to its place in the target.
// Equal letters keep their order when sorted.
Example draw_sequence(SequenceTask task, std::int64_t length, Random& random);

}  // namespace heed::corpora
