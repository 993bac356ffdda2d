// SPDX-License-Identifier: Apache-2.0
// Trace: the observer that keeps the weights of every attention, by site and step.
#pragma once  // public header

#include <utility>
#include <vector>

#include "heed/attention/observer.h"

#pragma GCC visibility push(default)  // exported

namespace heed::attention {

class Trace final : public Observer {
 public:
  struct Entry {
    Site site;
    std::int64_t step = 0;  // the position of the first query
    Tensor weights;         // [B,H,Q,K], or kMasked
    LookDensities densities{};
  };
  // UsageError for an attention that has no weights to show.
  void attended(const ObservedAttention& observed) override;
  void add(const Site& site, std::int64_t step, Tensor weights) {
    entries_.push_back({site, step, std::move(weights)});
  }
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  std::vector<Entry> entries_;
};

}  // namespace heed::attention

#pragma GCC visibility pop
