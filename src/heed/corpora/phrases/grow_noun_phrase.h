// SPDX-License-Identifier: Apache-2.0
// Growing noun phrases at random, of a kind that verbs ask for.
#pragma once

#include "heed/base/random.h"
#include "heed/corpora/choose.h"
#include "heed/corpora/phrases/tree.h"

namespace heed::corpora::phrases {

struct NounOptions {
  Kinds kinds = kPerson;
  bool definite = false;  // "the", "this", "my" only
  bool substance = true;  // may be one: "bread"
  double plain = 0.55;    // probability of no adjective
  int relatives = 0;      // how deep relative clauses may be; 0: none
};

NounPhrase grow_noun_phrase(Random& random, const NounOptions& options);

// Where something is: "under the table".
Place grow_place(Random& random);

// Adjectives that fit the noun, all or only those that may follow "is".
std::vector<const Adjective*> fitting_adjectives(const Noun& noun, bool predicate);

const Noun& grow_noun(Random& random, Kinds kinds, bool substance);

}  // namespace heed::corpora::phrases
