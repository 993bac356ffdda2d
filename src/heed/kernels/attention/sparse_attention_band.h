// SPDX-License-Identifier: Apache-2.0
// A band: the few queries whose scores against all keys the sparse attention kernels hold at once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "heed/base/random.h"
#include "heed/kernels/attention/attention.h"
#include "heed/kernels/attention/attention_plan.h"
#include "heed/kernels/attention/attention_team.h"
#include "heed/kernels/attention/sparse_attention.h"

namespace heed::kernels {

// Rows of a band: as many strips of 6 as keep their scores within 192 KiB of L2.
inline constexpr std::size_t kMostBandRows = 24;
// The largest scores of as many lanes bound the threshold of a row; candidates up to as many are
// solved side by side with those of other rows.
inline constexpr std::size_t kListColumns = 64;

// Rows of numbers, each whole vectors wide.
template <typename T>
struct MatrixRows {
  T* data = nullptr;
  std::size_t stride = 0;

  T* row(std::size_t i) const { return data + i * stride; }
};

// The scores of a band become its support: row r ends with counts[r] keys and weights.
template <typename T>
struct SparseBand {
  const AttentionCall<T>* call;
  const SparseNormaliser* normaliser;
  const T* packed_keys;  // panels of kColumns keys, each [D, kColumns]
  const BlockPlan* plan;
  std::size_t batch, head;
  std::size_t first_query;  // of the plan's block
  std::size_t first_row;    // of the band in that block
  std::size_t rows;

  std::size_t stride;     // of scores and keys
  T* scores;              // [rows, stride], in the end weights at the front of each row
  std::int32_t* keys;     // [rows, stride]
  T* spare;               // [stride]
  std::uint32_t* order;   // [stride]
  std::uint64_t* bitmap;  // one bit per key
  T* lists;               // [rows, kListColumns]
  T* solved;              // [rows, kListColumns]
  T* query;               // [rows, D]
  std::size_t counts[kMostBandRows];
  std::vector<StripPlan>* strips;

  T* weights(std::size_t r) const { return scores + r * stride; }
  std::int32_t* support(std::size_t r) const { return keys + r * stride; }
};

// Sizes of a band over this many keys. A stride of a power of two would put the rows of a column
// into few cache sets.
struct BandSizes {
  std::size_t keys, width, element;

  std::size_t stride() const {
    return (keys + kMaskKeys - 1) / kMaskKeys * kMaskKeys + kMaskKeys / 4;
  }
  std::size_t rows() const {
    constexpr std::size_t kElements = 49152, kStrip = 6;
    const std::size_t fitting = kElements / stride() / kStrip * kStrip;
    return std::clamp(fitting, kStrip, kMostBandRows);
  }
  std::size_t bytes() const {
    const std::size_t numbers = rows() * (stride() + 2 * kListColumns + width) + stride();
    return numbers * element + (rows() + 1) * stride() * 4 + stride() / 8 + 64;
  }
};

// Cuts `room`, of BandSizes::bytes(), up. The bitmap comes first: it is the most aligned.
template <typename T>
void place_band(const BandSizes& sizes, void* room, SparseBand<T>& band) {
  const std::size_t rows = sizes.rows();
  band.stride = sizes.stride();
  band.bitmap = static_cast<std::uint64_t*>(room);
  band.scores = reinterpret_cast<T*>(band.bitmap + band.stride / 64 + 1);
  band.spare = band.scores + rows * band.stride;
  band.lists = band.spare + band.stride;
  band.solved = band.lists + rows * kListColumns;
  band.query = band.solved + rows * kListColumns;
  band.keys = reinterpret_cast<std::int32_t*>(band.query + rows * sizes.width);
  band.order = reinterpret_cast<std::uint32_t*>(band.keys + rows * band.stride);
}

// What dropout multiplies the weight of one key with.
struct DroppedWeight {
  WeightDropout dropout;
  std::uint64_t first;  // mask element of the row's key 0

  double operator()(std::int32_t key) const {
    if (dropout.probability >= 1) return 0;
    const std::uint64_t element = first + static_cast<std::uint64_t>(key);
    const std::uint32_t word = philox(dropout.seed, dropout.stream, element / 4)[element % 4];
    return word >= dropout.probability * 0x1p32 ? 1 / (1 - dropout.probability) : 0;
  }
};

// The number of a row over all heads.
inline std::size_t row_index(const AttentionSizes& sizes, std::size_t batch, std::size_t head,
                             std::size_t query) {
  return (batch * sizes.heads + head) * sizes.queries + query;
}

}  // namespace heed::kernels
