// SPDX-License-Identifier: Apache-2.0
// Trace: the weights of every attention that was asked to leave them, by site and step.
#pragma once

#include <string>
#include <vector>

#include "heed/tensor/tensor.h"

namespace heed::attention {

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
    Tensor weights;         // [B,H,Q,K]
  };
  void add(TraceSite site, std::int64_t step, Tensor weights) {
    entries_.push_back({std::move(site), step, std::move(weights)});
  }
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  std::vector<Entry> entries_;
};

}  // namespace heed::attention
