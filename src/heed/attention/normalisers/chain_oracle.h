// SPDX-License-Identifier: Apache-2.0
// The oracle of sequences of choices in which neighbours score together, of at most some keys.
#pragma once

#include "heed/attention/normalisers/sparsemap.h"

namespace heed::attention {

// Part 2i: key i is not chosen, part 2i + 1: it is. The one additional part is a pair of chosen
// neighbours. Of equal sequences the lexicographically first, 0 for a key that is not chosen.
class ChainOracle final : public StructureOracle {
 public:
  // most: how many keys may be chosen; 0: any number.
  ChainOracle(std::size_t keys, double coupling, std::size_t most = 0)
      : keys_(keys), coupling_{coupling}, most_(most) {}

  std::size_t parts() const override { return 2 * keys_; }
  void best(std::span<const double> scores, PartBits found) const override;
  std::span<const double> extra_scores() const override { return coupling_; }
  void count_extras(PartBitsView bits, std::span<double> counts) const override;

 private:
  void best_of_any(std::span<const double> scores, PartBits found) const;

  std::size_t keys_;
  double coupling_[1];
  std::size_t most_;
};

}  // namespace heed::attention
