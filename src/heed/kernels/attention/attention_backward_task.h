// SPDX-License-Identifier: Apache-2.0
// One task of the fused attention's backward pass: all queries over one block of keys.
#pragma once

#include <cstddef>

#include "heed/kernels/attention/attention.h"
#include "heed/kernels/attention/attention_team.h"

namespace heed::kernels {

// P and dS of a block, 96 x 128 floats each, stay in L2 beside the keys, the values and their
// gradients. Rows are padded: a stride of a power of two would put a column into few cache sets.
inline constexpr std::size_t kBackwardQueries = 96;
inline constexpr std::size_t kBackwardKeys = 128;
inline constexpr std::size_t kBackwardStride = kBackwardKeys + 16;

// The scratch of one thread, cut up.
template <typename T>
struct BackwardRoom {
  T* keys_packed;    // panels of keys, each [D, kColumns]
  T* values_packed;  // the same of [V, kColumns]
  T* keys;           // [kBackwardKeys, D padded]
  T* d_keys;         // [kBackwardKeys, D padded]
  T* d_values;       // [kBackwardKeys, V padded]
  T* query;          // [kBackwardQueries, D padded], scaled
  T* d_context;      // [kBackwardQueries, V padded]
  T* weights;        // [kBackwardQueries, kBackwardStride]
  T* d_scores;       // [kBackwardQueries, kBackwardStride]
  T* d_query;        // [kRows, D padded]
  T* before;         // [changes, kRows, kBackwardStride]: what each change was given
};

template <typename T>
struct KeyBlockTask {
  const AttentionCall<T>* call;
  const AttentionBackward<T>* with;
  const T* delta;    // [B,H,Q]
  Heads<T> d_query;  // where dQ is added up
  T* d_parameters;   // [parameters of all changes]
  BlockScratch* scratch;
  std::size_t batch, key_head, key_begin, key_end;
};

}  // namespace heed::kernels
