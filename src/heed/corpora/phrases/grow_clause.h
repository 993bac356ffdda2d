// SPDX-License-Identifier: Apache-2.0
// Growing clauses at random: a verb, and what it needs around it.
#pragma once

#include <memory>

#include "heed/base/random.h"
#include "heed/corpora/phrases/tree.h"

namespace heed::corpora::phrases {

struct ClauseOptions {
  std::optional<Tense> tense = {};  // present stands for the progressive too
  bool asked = false;               // to become a question: no negation, nothing before the subject
  bool speech = true;               // may be "he says that ..."
  int relatives = 0;
};

Clause grow_clause(Random& random, const ClauseOptions& options);

// "who sleeps", "that the girl reads": for a noun of this kind.
std::shared_ptr<const Clause> grow_relative(Random& random, const Noun& head, int relatives);

// For "what does he buy", "how many pears did the boy eat", "where does she work".
Clause grow_with_direct_object(Random& random, const ClauseOptions& options);
Clause grow_without_object(Random& random, const ClauseOptions& options);

NounPhrase grow_subject(Random& random, Kinds kinds, int relatives);

}  // namespace heed::corpora::phrases
