// SPDX-License-Identifier: Apache-2.0
// Search: from a stepper to outputs, by greedy choice, beams or sampling; many sentences at once.
//
//   TranslationStepper stepper(model, sources);
//   const auto best = beam_search(stepper, {.width = 5, .n_best = 3});
//   best[sentence][0].tokens;
//
// A stepper comes with one row per sentence and is used up. What has ended is dropped, so that the
// work shrinks. Among equals the lower token wins. NaN among the log-probabilities is a DataError.
#pragma once  // public header

#include <span>
#include <vector>

#include "heed/base/random.h"
#include "heed/decoding/attention_path.h"
#include "heed/decoding/search_options.h"
#include "heed/decoding/stepper.h"
#include "heed/text/token.h"

#pragma GCC visibility push(default)  // exported

namespace heed::decoding {

struct Hypothesis {
  text::Tokens tokens{};  // without begin and end
  // Whether the end was written; if not, it was cut at the longest length, or no token was possible
  // any more.
  bool finished = false;
  double score = 0;                              // what ranks
  double log_probability = 0;                    // by the model, without penalties
  std::vector<float> token_log_probabilities{};  // one per token, and the end's when finished
  std::vector<AttentionPath> attentions{};       // when asked for, one per site
};

// The likeliest token at every step; score is the log-probability.
std::vector<Hypothesis> greedy(Stepper& stepper, const GreedyOptions& options = {});

// For each sentence its n best, finished ones first, then by score. An end counts when it is among
// the `width` best continuations.
std::vector<std::vector<Hypothesis>> beam_search(Stepper& stepper, const BeamOptions& options = {});

// Draws from the model. Every sentence has a generator of its own, so that it gets the same samples
// whatever sentences are beside it; score is the log-probability at temperature 1.
std::vector<std::vector<Hypothesis>> sample(Stepper& stepper, const SamplingOptions& options,
                                            std::span<Random> randoms);
// The same with one generator, from which those of the sentences are seeded.
std::vector<std::vector<Hypothesis>> sample(Stepper& stepper, const SamplingOptions& options,
                                            Random& random);

}  // namespace heed::decoding

#pragma GCC visibility pop
