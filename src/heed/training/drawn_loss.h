// SPDX-License-Identifier: Apache-2.0
// DrawnLoss: the loss of a batch for a model whose attention may draw, such as `| sample`. A draw
// has no gradient of its own, so that a loss alone would never teach the scores; here it does, by
// the score function. Models that draw nothing are as they were, to the bit.
//
//   DrawnLoss drawn(options);
//   const Variable loss = drawn(noise, [&](const models::Call& call, attention::Draws& draws) {
//     const Variable logits = model(input, call);
//     return SequenceLosses{...};
//   });
#pragma once  // public header

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "heed/attention/draws.h"
#include "heed/base/options.h"
#include "heed/models/call.h"
#include "heed/models/sequences.h"
#include "heed/training/score_function.h"
#include "heed/training/trainer.h"

#pragma GCC visibility push(default)  // exported

namespace heed::training {

// What a draw's loss is compared with: without any, every draw looks bad and the gradient is noise.
enum class Baseline {
  automatic,      // leave-one-out where there are several draws, else the running mean
  none,           // 0
  running,        // the mean loss per unit so far, times the units of the sequence
  leave_one_out,  // the mean of the other draws of the same sequence
  self_critical,  // the loss without noise, where the likeliest is taken: one more reading
  learned,        // what the tokens of the input let expect per unit: see token_baseline.h
};
// In the order of the enum.
const std::vector<std::string>& baseline_names();

struct DrawOptions {
  std::int64_t draws = 1;  // of each batch and update
  Baseline baseline = Baseline::automatic;
  double expected = 0;             // the share of sequences that read the mean of what is drawn
  double bonus = 0;                // of the entropy
  std::int64_t bonus_updates = 0;  // in which the bonus falls to 0; 0: it stays

  void declare(Options& options);
  // UsageError for a baseline that so few draws do not have.
  void check() const;
};

// The losses of one reading of a batch of B sequences.
struct SequenceLosses {
  Variable total;  // a number, as it is learnt from without draws
  // [B], its sequences', asked for where something was drawn; or [B,T], step by step, 0 where there
  // is none. Then a draw answers for the losses from its own step on: those before it are noise.
  std::function<Tensor()> each;
  Tensor units = {};             // as `each`: what a loss counts, such as target tokens; else 1
  std::string_view steps = {};   // the strip of queries that [B,T] goes by: "target"
  models::Sequences input = {};  // known before anything is drawn: for the learned baseline
};

class DrawnLoss {
 public:
  explicit DrawnLoss(const DrawOptions& options = {}) : options_(options) { options_.check(); }

  // Reads a batch, once per draw. `read` calls the model with this call, and tells the draws which
  // queries are padding (Draws::count).
  using Read = std::function<SequenceLosses(const models::Call& call, attention::Draws& draws)>;
  Variable operator()(Random& noise, const Read& read);

  // Lets the task's checkpoints keep the running mean and the place of the bonus; nothing is added
  // for a model that never drew. It refers to this.
  void join(Task& task);

 private:
  double bonus() const;

  DrawOptions options_;
  RunningMean running_;  // per unit
  Tensor tokens_;        // the learned baseline's weights
  std::int64_t batches_ = 0;
};

// losses [N] of units that follow each other, so many of each sequence [B] -> sums [B].
Tensor sums_by_sequence(const Tensor& losses, const Ids& lengths);
// The same as [B,T], T the longest; 0 after the end of a sequence.
Tensor losses_by_step(const Tensor& losses, const Ids& lengths);

}  // namespace heed::training

#pragma GCC visibility pop
