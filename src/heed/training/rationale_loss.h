// SPDX-License-Identifier: Apache-2.0
// RationaleLoss: what a generator pays for the words it keeps (Lei 2016, Eq. 2), and how it is held
// to a share of them (Bastings 2019, Section 4.2: a Lagrangian relaxation).
//
//   RationaleLoss rationale(options);
//   const RationaleCost cost = rationale(selection);   // of each text
//   rationale.update(selection);                       // once a batch
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "heed/base/options.h"
#include "heed/models/rationale.h"
#include "heed/training/trainer.h"

namespace heed::training {

struct RationaleLossOptions {
  double size = .03;          // of each word that is kept
  double changes = .005;      // of each step from a word kept to one left out, or back
  std::int64_t rise = 500;    // batches in which both rise from 0: at first all words help
  std::string rate = "none";  // the share of words to aim at
  std::int64_t warm = 0;      // batches before all that, of words kept at random

  // --rationale-size, --rationale-changes, --rationale-rise, --rationale-rate, --rationale-warm.
  void declare(Options& options);
  // The share to aim at, if any. UsageError for one that is no share, or 0, or 1.
  std::optional<double> target() const;
};

// What the selections of B texts cost.
struct RationaleCost {
  Variable kept{};      // [B], of what was kept: a part of the loss that a draw is judged by
  Variable expected{};  // [B], of how likely words are kept, whatever was drawn; or not defined
};

class RationaleLoss {
 public:
  explicit RationaleLoss(const RationaleLossOptions& options = {});

  RationaleCost operator()(const models::Selection& selection) const;
  // [B]: what they would cost at the end of the rise, where words beyond the target cost most: the
  // same whenever it is asked, so that models of different updates can be compared.
  Tensor full(const models::Selection& selection) const;
  // Moves the multiplier of the rate, and warns once where a generator has kept all words or none
  // for 200 batches. Of training batches only: validation must not move it.
  void update(const models::Selection& selection);
  // Whether the next batch is one of those whose words are kept at random, so that the predictor
  // has learnt what words say before the generator could agree with it on a code.
  bool warms() const { return batches_ < options_.warm; }
  // Counts such a batch.
  void update_warm() { ++batches_; }
  // Lets the task's checkpoints keep its state; it refers to this.
  void join(Task& task);

  double multiplier() const { return multiplier_; }

 private:
  Variable of_kept(const models::Selection& selection, double risen) const;

  RationaleLossOptions options_;
  std::optional<double> target_;
  // As a checkpoint keeps them.
  Real multiplier_;
  Real running_ = 0;  // mean of share - target
  std::int64_t batches_ = 0;
  std::int64_t all_ = 0;   // batches in a row that kept nearly every word
  std::int64_t none_ = 0;  // or nearly none
};

// How many steps from kept to left out or back there are along the words of each text: [B], with
// gradients. The step from the last word to padding is none.
Variable selection_changes(const models::Selection& selection);
// Of all words of the batch, how many are kept at all.
double kept_share(const models::Selection& selection);

}  // namespace heed::training
