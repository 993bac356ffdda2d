// SPDX-License-Identifier: Apache-2.0
// Draws: the observer that gathers what normalisers which draw say of their draws, for losses that
// learn by them, and what attentions add to the loss themselves.
//
//   attention::Draws draws;
//   const Variable losses = losses_of(model(input, {.noise = &random, .watch = &draws}));  // [B]
//   backward(sum(losses + training::score_function(losses.value(), draws.log_probability(), ...)));
//
// It asks for no weights: attentions that do not draw run as if nobody watched, by fused kernels.
#pragma once  // public header

#include <string_view>
#include <utility>
#include <vector>

#include "heed/attention/observer.h"

#pragma GCC visibility push(default)  // exported

namespace heed::attention {

// Queries of a strip that are steps, one after the other: what is drawn at one of them has no part
// in the losses of those before.
struct DrawSteps {
  std::string_view strip = {};
  std::int64_t count = 0;
};

class Draws final : public Observer {
 public:
  struct Entry {
    Site site;
    std::int64_t first_query = 0;
    Variable log_probability;  // [B,H,Q]
    Variable entropy;          // [B,H,Q]
  };

  bool wants_weights(const Site&) const override { return false; }
  void attended(const ObservedAttention& observed) override;

  // Queries are tokens of a strip ("target"); those past a sequence's length [B] are padding, of
  // which no loss knows: their draws are left out of the sums.
  void count(std::string_view strip, const Ids& lengths);

  // In the order of the calls; none for a model that does not draw.
  const std::vector<Entry>& entries() const { return entries_; }
  // [B], over all sites, heads and queries; with steps [B,T], whatever was drawn elsewhere being in
  // the first column. UsageError where nothing was drawn, for sites whose rows are not the
  // sequences of the others, and for queries past the last step.
  Variable log_probability(const DrawSteps& steps = {}) const {
    return total(&Entry::log_probability, steps);
  }
  Variable entropy(const DrawSteps& steps = {}) const { return total(&Entry::entropy, steps); }
  // What all attentions add to the loss of a unit; not defined: nothing.
  const Variable& penalty() const { return penalty_; }

 private:
  Variable total(Variable Entry::*field, const DrawSteps& steps) const;
  Variable counted(const Entry& entry, const Variable& x) const;

  std::vector<Entry> entries_;
  Variable penalty_;
  std::vector<std::pair<std::string_view, Ids>> counts_;
};

}  // namespace heed::attention

#pragma GCC visibility pop
