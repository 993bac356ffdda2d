// SPDX-License-Identifier: Apache-2.0
// Growing noun phrases at random, of a kind that verbs ask for.
#pragma once

#include <span>

#include "heed/base/random.h"
#include "heed/tasks/phrases/tree.h"

namespace heed::tasks::phrases {

inline bool chance(Random& random, double probability) {
  return random.uniform() < probability;
}

template <typename T>
const T& pick(Random& random, std::span<const T> items) {
  return items[static_cast<std::size_t>(random.integer(items.size()))];
}

// One of these with its weight; the weights need not add up to 1.
template <typename T>
struct Weighted {
  T value;
  double weight;
};

template <typename T>
T pick_weighted(Random& random, std::initializer_list<Weighted<T>> choices) {
  double left = 0;
  for (const auto& choice : choices) left += choice.weight;
  left *= random.uniform();
  for (const auto& choice : choices) {
    left -= choice.weight;
    if (left < 0) return choice.value;
  }
  return choices.begin()->value;
}

struct NounWish {
  Kinds kinds = kPerson;
  bool definite = false;  // "the", "this", "my" only
  bool substance = true;  // may be one: "bread"
  double plain = 0.55;    // probability of no adjective
  int relatives = 0;      // how deep relative clauses may stand; 0: none
};

NounPhrase grow_noun_phrase(Random& random, const NounWish& wish);

// Where something is: "under the table".
Place grow_place(Random& random);

// Adjectives that fit the noun, all or only those that may follow "is".
std::vector<const Adjective*> fitting_adjectives(const Noun& noun, bool predicate);

const Noun& grow_noun(Random& random, Kinds kinds, bool substance);

}  // namespace heed::tasks::phrases
