// SPDX-License-Identifier: Apache-2.0
// One task of the kernel for few queries: the rows of a key head over a slice of its keys.
#pragma once

#include <cstddef>
#include <cstdint>

#include "heed/kernels/attention/attention.h"

namespace heed::kernels {

// Keys of one task, and of one step of it: per key, 256 at a time take 8% less than 64. A mask is
// looked at in tiles of kMaskKeys.
inline constexpr std::size_t kDecodeSlice = 1024;
inline constexpr std::size_t kDecodeChunk = 256;
inline constexpr std::size_t kDecodeTiles = kDecodeSlice / kMaskKeys;

// What the keys so far have given: context is relative to the maximum and not yet divided by the
// sum. Scores are in base 2.
template <typename T>
struct DecodePartial {
  T* maximum;  // [rows]
  T* sum;      // [rows]
  T* context;  // [rows, padded V]
};

// The rows of a key head: query q of its h-th query head is row h * Q + q.
template <typename T>
struct DecodeSlice {
  const AttentionCall<T>* call;
  std::size_t batch, key_head;
  std::size_t key_begin, key_end;
  const std::uint64_t* words;  // [kDecodeTiles, rows], bits of allowed keys; null: all
  T* query;                    // [rows, padded D]
  T* scores;                   // [rows, kDecodeChunk]
  T* keep;                     // [padded rows]
  DecodePartial<T> to;
};

// Elements, each with the padding the target wants.
struct DecodeSizes {
  std::size_t rows;
  std::size_t width;
  std::size_t value_width;
};

}  // namespace heed::kernels
