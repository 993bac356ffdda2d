// SPDX-License-Identifier: Apache-2.0
// Where the labels of a sequence and the blanks between them lie, one after the other.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace heed {

// Places s = 0..2U: the blank at even ones, label (s-1)/2 at odd ones. A place is reached from
// itself, from the one before it and, where it holds a label that is not the label before, from the
// one before that.
class CtcPlaces {
 public:
  CtcPlaces(std::span<const std::int32_t> labels, std::int32_t blank) {
    symbols_.push_back(blank);
    skips_.push_back(false);
    for (std::size_t u = 0; u < labels.size(); ++u) {
      symbols_.push_back(labels[u]);
      skips_.push_back(u > 0 && labels[u] != labels[u - 1]);
      symbols_.push_back(blank);
      skips_.push_back(false);
      needed_ += 1 + (u > 0 && labels[u] == labels[u - 1] ? 1 : 0);
    }
  }
  std::size_t size() const { return symbols_.size(); }
  std::size_t symbol(std::size_t place) const { return static_cast<std::size_t>(symbols_[place]); }
  bool may_skip_to(std::size_t place) const { return skips_[place] != 0; }
  std::int64_t needed() const { return needed_; }  // frames

 private:
  std::vector<std::int32_t> symbols_;
  std::vector<char> skips_;
  std::int64_t needed_ = 0;
};

}  // namespace heed
