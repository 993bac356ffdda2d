// SPDX-License-Identifier: Apache-2.0
// Short documents whose pronouns need the sentence before: "She bought a car. It is small." is
// "Elle est petite", with a boat it is "Il est petit".
#pragma once

#include "heed/base/random.h"
#include "heed/corpora/corpus.h"

namespace heed::corpora::phrases {

// Two to four sentences, a line each. One or two of them start again with "it" or "they" for a
// thing that the sentence before names, the only one that can be meant; these words are hidden in
// the example. Nothing in the sentence of the pronoun depends on the gender, and both are as
// likely.
Example draw_document(Random& random);

}  // namespace heed::corpora::phrases
