// SPDX-License-Identifier: Apache-2.0
// Clauses written in both languages: verbs, negation, pronouns before the verb, questions.
#pragma once

#include "heed/corpora/phrases/tree.h"
#include "heed/corpora/phrases/word.h"

namespace heed::corpora::phrases {

Phrase write_statement(const Clause& clause, Meanings& meanings);

// Without its mark.
Phrase write_question(const Clause& clause, Question question, Meanings& meanings);

// "who sleeps", "that the girl reads": the clause's subject or object is Pronoun::gap, which is
// for head.
Phrase write_relative(const Clause& clause, const NounPhrase& head, Meanings& meanings);

}  // namespace heed::corpora::phrases
