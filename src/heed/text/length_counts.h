// SPDX-License-Identifier: Apache-2.0
// How long texts are: a count for each length, exact up to 1023 and within 1/64 above, so that any
// number of texts takes the same few kilobytes.
#pragma once

#include <cstdint>
#include <vector>

#pragma GCC visibility push(default)  // exported

namespace heed::text {

class LengthCounts {
 public:
  void add(std::uint64_t length);

  std::uint64_t count() const { return count_; }
  std::uint64_t total() const { return total_; }
  std::uint64_t least() const { return least_; }
  std::uint64_t most() const { return most_; }
  // The length that this share of all texts does not exceed; 0 when there are none.
  std::uint64_t quantile(double share) const;
  std::uint64_t median() const { return quantile(.5); }

 private:
  std::vector<std::uint64_t> bins_{};
  std::uint64_t count_ = 0;
  std::uint64_t total_ = 0;
  std::uint64_t least_ = 0;
  std::uint64_t most_ = 0;
};

}  // namespace heed::text

#pragma GCC visibility pop
