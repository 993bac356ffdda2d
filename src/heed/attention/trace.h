// SPDX-License-Identifier: Apache-2.0
// Trace: the weights of every attention that was asked to leave them, by site and step.
#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "heed/tensor/tensor.h"

namespace heed::attention {

// Stands in a trace for keys that the pattern hid from a query; 0 is a weight like others.
inline constexpr Real kMasked = std::numeric_limits<Real>::quiet_NaN();
inline bool is_masked(Real weight) {
  return std::isnan(weight);
}
// What a key added to the context: nothing where it was hidden.
inline Real share_of(Real weight) {
  return is_masked(weight) ? Real{0} : weight;
}

// Where an attention sits in a model.
struct TraceSite {
  int layer = 0;
  std::string kind = "attention";  // "encoder self", "decoder self", "cross", "pooling", ...
};

class Trace {
 public:
  struct Entry {
    TraceSite site;
    std::int64_t step = 0;  // the position of the first query
    Tensor weights;         // [B,H,Q,K], or kMasked
  };
  void add(TraceSite site, std::int64_t step, Tensor weights) {
    entries_.push_back({std::move(site), step, std::move(weights)});
  }
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  std::vector<Entry> entries_;
};

}  // namespace heed::attention
