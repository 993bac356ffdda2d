// SPDX-License-Identifier: Apache-2.0
// How good rationales are: how many words they keep, how many of those decide, and whether they are
// a code that only the predictor who learnt with them can read.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "heed/base/exported.h"
#include "heed/models/classifier.h"
#include "heed/pipeline/classify/classify_quality.h"
#include "heed/text/batch.h"

namespace heed::pipeline {

struct RationaleQuality {
  double share = 0;  // of all words, those that are kept
  double runs = 0;   // of words kept side by side, in a text
  // Of the words of texts that have evidence; NaN where none has.
  double precision = 0;
  double recall = 0;
  double f1 = 0;
};

// Of each aspect; without `evidence`, which may be empty, its three are NaN. The weights of `found`
// are what was kept.
HEED_EXPORTED std::vector<RationaleQuality> rationale_quality(
    std::span<const Classification> found, std::span<const Evidence> evidence = {});

// Each word with the chance of its text, which is drawn between .05 and 1.
models::Selection kept_at_random(const models::Sequences& text, Random& random);

// Own accuracy, and that of an outsider of the same build who learnt from words kept at random and
// then reads what the generator keeps. Where the outsider is much worse, the generator tells the
// answer by which words it keeps instead of keeping words that tell it. Of texts of which something
// is kept, over all aspects.
struct PrivateCode {
  double own = 0;
  double outsider = 0;
  std::size_t texts = 0;

  double gap() const { return own - outsider; }
};
// More than this is warned of.
inline constexpr double kMostPrivate = .15;

struct OutsiderTraining {
  models::ClassifierOptions model{};
  std::int64_t updates = 1000;
  double learning_rate = 3e-3;
  std::uint64_t seed = 1;
  std::function<const text::PairBatch&()> next{};  // batches to learn from
  std::function<void(std::int64_t)> done{};        // told how many updates are done
};
PrivateCode private_code(const models::Classifier& model, std::span<const text::TokenPair> held,
                         const OutsiderTraining& training);

}  // namespace heed::pipeline
