// SPDX-License-Identifier: Apache-2.0
// The score function (REINFORCE): losses that teach a model which of its draws were good ones, and
// the baselines that make them quieter.
//
//   attention::Draws draws;
//   const Variable losses = losses_of(model(input, {.noise = &random, .watch = &draws}));  // [B]
//   const Variable taught = training::score_function(
//       losses.value(), {draws.log_probability(), draws.entropy()},
//       {.baseline = running.baseline(), .bonus = 0.01});
//   backward(mean(losses + taught));
//   running.update(losses.value());
//
// The gradient of E[l(z)] is E[dl + (l(z) - b) d log p(z)] for any baseline b that does not depend
// on this draw (Williams 1992). In the table of `heed bench estimators` the mean loss as b divides
// the variance by 8.6.
#pragma once  // public header

#include <cstdint>

#include "heed/autograd/variable.h"
#include "heed/nn/linear.h"

#pragma GCC visibility push(default)  // exported

namespace heed::training {

// What was drawn, sequence by sequence: attention::Draws has both.
struct DrawnLogs {
  Variable log_probability;  // [B]
  Variable entropy = {};     // [B], or not defined
};

struct ScoreFunctionOptions {
  Tensor baseline = {};  // [B], [1] or not defined: 0
  Real bonus = 0;        // of the entropy, which is worth exploring with
  // Divides l - b by its deviation over the batch. That depends on the draws: it biases.
  bool unit_deviation = false;
};

// (l - b) log p - bonus H, sequence by sequence [B]; l and b are numbers, through which no gradient
// passes. UsageError for losses and draws of different sequences.
Variable score_function(const Tensor& losses, const DrawnLogs& drawn,
                        const ScoreFunctionOptions& options = {});

// Each of m draws has the mean of the others as its baseline, which does not depend on it: losses,
// log-probabilities and entropies [m,B], m of at least 2 -> [B], a mean over the draws:
// 1/(m-1) sum (l_i - mean l) log p_i. Equal losses teach nothing (Kool, van Hoof & Welling 2019,
// "Buy 4 REINFORCE samples, get a baseline for free").
Variable leave_one_out(const Tensor& losses, const DrawnLogs& drawn, Real bonus = 0);

// The mean of the losses so far, those of long ago counting less. Its two numbers are its state,
// which a checkpoint keeps as they are.
struct RunningMean {
  double decay = 0.95;
  Real sum = 0;
  Real weight = 0;

  // [1]: the mean before this batch; 0 at first.
  Tensor baseline() const;
  void update(const Tensor& losses);
};

// b = w.f + c of features [B,D] of the input, learnt by its own loss beside the model's. The
// features may be anything that is known before the draw.
struct LearnedBaseline {
  nn::Linear linear;

  LearnedBaseline() = default;
  LearnedBaseline(std::int64_t width, Random& random) : linear(width, 1, random) {}
  // [B]; the gradient stops at the features.
  Variable operator()(const Variable& features) const;
  // (l - b)^2/2 of each sequence.
  Variable loss(const Variable& baseline, const Tensor& losses) const;
  void visit(nn::ParameterVisitor& visitor) { visitor("linear", linear); }
};

// Self-critical (Rennie 2017): the baseline is the loss of the same model without noise, which
// takes the likeliest of everything. No code is needed: {.baseline = losses_without_noise}.

// The exact mean over what may be drawn: p [...,K], losses [...,K] -> [...]. A loss whose chance is
// exactly 0 is not read: with sparsemax or entmax only the support has to be computed, and may be
// NaN elsewhere (Correia et al. 2020). Gradients pass through both.
Variable sum_over_support(const Variable& p, const Variable& losses);

}  // namespace heed::training

#pragma GCC visibility pop
