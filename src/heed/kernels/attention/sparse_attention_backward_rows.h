// SPDX-License-Identifier: Apache-2.0
// What the backward pass of sparse attention hands from its threads to the current CPU target.
#pragma once

#include <cstddef>

#include "heed/kernels/attention/sparse_attention.h"
#include "heed/kernels/attention/sparse_attention_band.h"

namespace heed::kernels {

// Keys of a tile that the derivative of a change is asked for, one query at a time.
inline constexpr std::size_t kChangeKeys = 64;

// Elements of the parts of a key head, as the current target wants them.
struct BackwardSizes {
  std::size_t width = 0;        // of keys, in whole vectors
  std::size_t value_width = 0;  // of values, likewise
  std::size_t packed = 0;       // packed keys
  std::size_t keys = 0;         // copies of the keys, 0 when they can be read where they lie
  std::size_t values = 0;       // likewise
  std::size_t row = 0;          // what a row needs beside lists as long as all keys
};

// The key head a thread works at.
template <typename T>
struct BackwardHead {
  const AttentionCall<T>* call;
  const SparseNormaliser* normaliser;
  const SparseAttentionBackward<T>* with;
  std::size_t batch, key_head;
  T* packed;             // packed keys; filled only when a row was not kept
  T* keys;               // whole rows, unless the tensor's own serve
  T* values;             // likewise
  MatrixRows<T> d_keys;  // where this thread adds up
  MatrixRows<T> d_values;
  T* d_parameters;  // likewise, null when it is not asked for
  double* d_alpha;  // [H], likewise
};

// Queries [begin, end) of one head, and room for one row.
template <typename T>
struct BackwardRows {
  const BackwardHead<T>* at;
  SparseBand<T>* band;
  std::size_t head, begin, end;
  T* lists;  // [4, band.stride] then BackwardSizes::row
};

}  // namespace heed::kernels
