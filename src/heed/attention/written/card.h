// SPDX-License-Identifier: Apache-2.0
// Card: what a part of a mechanism says of itself. Help, docs, laws and benchmarks read nothing
// else.
#pragma once  // public header

#include <concepts>
#include <string>
#include <vector>

#include "heed/base/options.h"

#pragma GCC visibility push(default)  // exported

namespace heed::attention {

// What the laws may hold a normaliser to, or a pattern (the last).
enum class Promise {
  sums_to_one,              // the weights of a row with an allowed key add up to 1
  sums_to_k,                // they add up to the option "k", or to the keys where these are fewer
  in_unit_interval,         // no weight is below 0 or above 1, whatever they add up to
  shift_invariant,          // adding one number to all scores changes nothing
  permutation_equivariant,  // reordering keys reorders weights
  reversal_equivariant,     // only reversing them does (fusedmax)
  reverses_with_queries,    // only reversing queries and keys together does (tree)
  symmetric_jacobian,       // the gradient of a regularised argmax
  sparse,                   // exact zeros on allowed keys
  breaks_ties,              // of equal scores, some get other weights than others
  random,                   // weights depend on the random key, ties included
  may_be_negative,          // weights below zero
  surrogate_gradient,       // its gradient stands in for that of the weights, which are hard
  has_temperature,          // an option "temperature" that spreads the weights
  whole_matrix,             // the weights of a query depend on the scores of the others
  first_keys,               // what a query sees are the first keys, up to some number of them
};
std::string promise_text(Promise promise);

// Data that only some parts read. It is given with a call (see KeyData and QueryData), except for
// the centre that each query looks at, which a bias of the mechanism gives to its pattern.
enum class Given { lengths, segments, mask, bias, bounds, centres };

struct Card {
  std::string name;     // as it is written in a mechanism
  std::string summary;  // one sentence
  std::string formula;  // the weights, scores or allowed keys, in the letters of the docs
  std::string source;   // "Martins & Astudillo 2016"
  std::vector<Promise> promises = {};
  std::vector<Given> reads = {};  // of a pattern: to restrict keys by it
  std::vector<Given> gives = {};  // of a bias: what patterns of the same heads may read
  std::string formerly = {};      // the name it had before, so that a message can say the new one
  // Options that change what it computes, as they are written: "alpha=2.0". The laws hold for it as
  // it comes and for each of these.
  std::vector<std::string> examples = {};
};

// A part is a plain struct: its card, and its options bound to its members.
template <typename P>
concept Part = std::copyable<P> && std::default_initializable<P> &&
    requires(P part, Options& options) {
  { P::card() } -> std::same_as<Card>;
  part.declare(options);
};

}  // namespace heed::attention

#pragma GCC visibility pop
