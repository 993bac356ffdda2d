// SPDX-License-Identifier: Apache-2.0
// How to search: what greedy choice, beams and sampling can be told.
#pragma once  // public header

#include <optional>
#include <string>
#include <vector>

#include "heed/decoding/constraints.h"
#include "heed/decoding/length_penalty.h"

#pragma GCC visibility push(default)  // exported

namespace heed::decoding {

struct GreedyOptions {
  Constraints constraints{};
  bool attentions = false;  // whether hypotheses carry theirs
};

// When a sentence is done, at the latest.
enum class Stopping {
  first,  // as soon as `width` hypotheses have ended
  exact,  // when no hypothesis that lives can come among the n best any more
  // When `width` have ended and the best that lives, were it to end now, would not come among them;
  // what lives at the longest length ranks with what has ended. As many programs stop.
  estimate,
};
// "first", "exact", "estimate", in the order of the enumerators.
const std::vector<std::string>& stopping_names();

struct BeamOptions {
  int width = 5;   // hypotheses that live at a time, per sentence
  int n_best = 1;  // hypotheses given back, at most `width`
  // Where it is empty, a pipeline takes what its model's folder keeps, and a search Wu's.
  std::optional<LengthPenalty> length{};
  // Wu 2016, eq. 14: `coverage` times the sum, over the source, of the logarithm of the weight each
  // token was given in all, at most 1, is added to the score of what has ended.
  double coverage = 0;
  Stopping stopping = Stopping::first;
  Constraints constraints{};
  bool attentions = false;
};

struct SamplingOptions {
  int samples = 1;         // per sentence
  double temperature = 1;  // below 1: safer, above: more varied
  int top_k = 0;           // only this many most likely tokens; 0: all
  double nucleus = 1;  // only the fewest tokens that have this probability in all (Holtzman 2020)
  Constraints constraints{};
  bool attentions = false;
};

}  // namespace heed::decoding

#pragma GCC visibility pop
