// SPDX-License-Identifier: Apache-2.0
// The verb of a clause with all that goes with it: auxiliaries, negation, adverb, pronouns.
#pragma once

#include <optional>

#include "heed/corpora/phrases/tree.h"
#include "heed/corpora/phrases/word.h"

namespace heed::corpora::phrases {

struct VerbSetting {
  Agreement subject = {};
  std::optional<Agreement> object_before = {};  // the direct object, if it precedes the verb
  std::optional<Meaning> asked = {};  // in a question: what its first auxiliary means in French
  Words clitics = {};                 // French pronouns before the verb
  Meaning preposition = {};           // the one before the object, in both languages
};

struct VerbGroup {
  Words english_first = {};  // the word that questions put before the subject
  Words english_rest = {};
  Words french = {};  // the preposition before the object included
};

VerbGroup write_verb(const Clause& clause, const VerbSetting& setting, Meanings& meanings);

}  // namespace heed::corpora::phrases
