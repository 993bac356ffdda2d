// SPDX-License-Identifier: Apache-2.0
// A bound pattern as the fused kernels ask for it: covers of tiles, and words of allowed keys.
#pragma once

#include <memory>

#include "heed/attention/pattern.h"
#include "heed/base/first_exception.h"
#include "heed/kernels/attention/attention.h"

namespace heed::attention {

class PatternMask final : public kernels::KeyMask {
 public:
  // What the pattern throws inside a kernel goes to `failure`; the kernel sees no keys there.
  PatternMask(std::shared_ptr<const BoundPattern> pattern, FirstException& failure)
      : pattern_(std::move(pattern)), failure_(&failure) {}
  TileCover classify(const kernels::TileRange& tile) const noexcept override;
  void allowed(std::size_t batch, std::size_t head, std::size_t query,
               std::span<const std::size_t> tiles, std::uint64_t* words) const noexcept override;
  bool alike_in_batch() const noexcept override { return pattern_->alike_in_batch(); }
  bool alike_in_heads() const noexcept override { return pattern_->alike_in_heads(); }

 private:
  std::shared_ptr<const BoundPattern> pattern_;
  FirstException* failure_;
};

// Whether every query of every head sees every key.
bool allows_all(const BoundPattern& pattern, const kernels::AttentionSizes& sizes);

}  // namespace heed::attention
