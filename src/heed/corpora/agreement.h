// SPDX-License-Identifier: Apache-2.0
// Beginnings of sentences up to the verb, to be told singular or plural: "The keys to the cabinet
// near the doors" needs "are", whatever is between.
#pragma once

#include <cstdint>

#include "heed/base/random.h"
#include "heed/corpora/corpus.h"

namespace heed::corpora {

// A subject with this many other nouns around it, in prepositional phrases, in relative clauses and
// before it. Each of them is singular or plural by the toss of a coin; turns give the subject both
// numbers in equal parts.
Example draw_agreement(Random& random, std::int64_t turn, std::int64_t distractors);

}  // namespace heed::corpora
