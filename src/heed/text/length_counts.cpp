// SPDX-License-Identifier: Apache-2.0
// Lengths in bins: one each up to 1023, then 64 to an octave.
#include "heed/text/length_counts.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace heed::text {
namespace {

constexpr std::uint64_t kExact = 1024;
constexpr int kExactBits = 10;
constexpr int kOctaveBits = 6;

std::size_t bin_of(std::uint64_t length) {
  if (length < kExact) return static_cast<std::size_t>(length);
  const int octave = std::bit_width(length) - 1;
  const std::uint64_t part = (length >> (octave - kOctaveBits)) & ((1u << kOctaveBits) - 1);
  return static_cast<std::size_t>(
      kExact + (static_cast<std::uint64_t>(octave - kExactBits) << kOctaveBits) + part);
}

// The largest length of a bin.
std::uint64_t top_of(std::size_t bin) {
  if (bin < kExact) return bin;
  const std::uint64_t above = bin - kExact;
  const int octave = kExactBits + static_cast<int>(above >> kOctaveBits);
  const std::uint64_t part = above & ((1u << kOctaveBits) - 1);
  const std::uint64_t step = std::uint64_t{1} << (octave - kOctaveBits);
  return (std::uint64_t{1} << octave) + (part + 1) * step - 1;
}

}  // namespace

void LengthCounts::add(std::uint64_t length) {
  const std::size_t bin = bin_of(length);
  if (bin >= bins_.size()) bins_.resize(bin + 1);
  ++bins_[bin];
  least_ = count_ == 0 ? length : std::min(least_, length);
  most_ = std::max(most_, length);
  ++count_;
  total_ += length;
}

std::uint64_t LengthCounts::quantile(double share) const {
  const auto wanted = static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(count_)));
  std::uint64_t seen = 0;
  for (std::size_t bin = 0; bin < bins_.size(); ++bin) {
    seen += bins_[bin];
    if (seen >= wanted && seen > 0) return std::min(top_of(bin), most_);
  }
  return most_;
}

}  // namespace heed::text
