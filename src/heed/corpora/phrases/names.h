// SPDX-License-Identifier: Apache-2.0
// Phrases in which people have names: "My uncle Benor doesn't see the red car."
#pragma once

#include "heed/base/random.h"
#include "heed/corpora/corpus.h"
#include "heed/corpora/made_names.h"
#include "heed/corpora/phrases/tree.h"

namespace heed::corpora::phrases {

// Names the people of a sentence that one can point at ("the farmer", "my aunt", not "a farmer"),
// each with a name of this part. Returns how many there are.
int name_people(Sentence& sentence, Random& random, Part part);

// A sentence of one or two clauses with at least one name.
Example draw_named_phrase(Random& random, Part part, std::int64_t min_length,
                          std::int64_t max_length);

}  // namespace heed::corpora::phrases
