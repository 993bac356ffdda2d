// SPDX-License-Identifier: Apache-2.0
// Premises and hypotheses, to be told whether the second follows from the first, contradicts it, or
// neither.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "heed/base/random.h"
#include "heed/corpora/corpus.h"

namespace heed::corpora {

// How many of the subjects do it.
struct Quantity {
  enum class Kind { some, none, exactly, more_than, fewer_than };
  Kind kind = Kind::some;
  int number = 0;  // of the last three: 2 to 4

  bool allows(int count) const;
};

// "Exactly two dogs are chasing a person."
struct Statement {
  Quantity quantity = {};
  std::string_view subject = {};
  std::string_view verb = {};
  std::string_view object = {};  // empty: none
};

std::string write_statement(const Statement& statement);

enum class Judgement { entailment, contradiction, neutral };

// Whether every state of the world that the premise allows is one the hypothesis allows, none, or
// some: a poodle is a dog, a dog an animal.
Judgement judge(const Statement& premise, const Statement& hypothesis);

// The source is the premise, the second text the hypothesis. Three turns give each label once. The
// hypothesis is drawn before the premise and without regard to the label, so alone it tells
// nothing.
Example draw_entailment(Random& random, std::int64_t turn);

}  // namespace heed::corpora
