// SPDX-License-Identifier: Apache-2.0
// The oracle of one run of neighbouring keys.
#pragma once

#include "heed/attention/normalisers/sparsemap.h"

namespace heed::attention {

// Part 2i: the run does not cover key i, part 2i + 1: it does. Of equal runs the one that ends
// first, and of these the shortest.
class SpanOracle final : public StructureOracle {
 public:
  explicit SpanOracle(std::size_t keys) : keys_(keys) {}

  std::size_t parts() const override { return 2 * keys_; }
  void best(std::span<const double> scores, PartBits found) const override;

 private:
  std::size_t keys_;
};

}  // namespace heed::attention
