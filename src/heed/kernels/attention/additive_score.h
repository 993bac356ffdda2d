// SPDX-License-Identifier: Apache-2.0
// The additive score of Bahdanau 2015 and its gradient, without an array of queries x keys x size:
// what is inside the activation is made again wherever it is needed.
#pragma once

#include <cstddef>

#include "heed/kernels/products/gemm.h"

namespace heed::kernels {

// scores[b,h,q,k] = sum over s of v[h,s] activation(query[b,h,q,s] + key[b,g,k,s]), g the key head
// that query head h reads, g = h / (heads / key_heads). Queries and keys are projected already.
template <typename T>
struct AdditiveScore {
  std::size_t batch = 0;
  std::size_t heads = 1;
  std::size_t key_heads = 1;  // divides heads
  std::size_t queries = 0;
  std::size_t keys = 0;
  std::size_t size = 0;
  Activation activation = Activation::tanh;
  const T* query = nullptr;  // [batch, heads, queries, size]
  const T* key = nullptr;    // [batch, key_heads, keys, size]
  const T* v = nullptr;      // [heads, size]
};

// All are overwritten; null: not wanted.
template <typename T>
struct AdditiveScoreGradient {
  T* query = nullptr;  // [batch, heads, queries, size]
  T* key = nullptr;    // [batch, key_heads, keys, size]
  T* v = nullptr;      // [batch, heads, size]: what each row of the batch adds to v's gradient
};

// scores [batch, heads, queries, keys]. Rows are spread over threads; the thread count does not
// change a bit.
template <typename T>
void additive_score(const AdditiveScore<T>& problem, T* scores) noexcept;

// d_scores [batch, heads, queries, keys]. Where one is exactly 0 its query and key take no part, so
// that a NaN in a masked key goes nowhere. Blocks of features are spread over threads; the thread
// count does not change a bit. No memory is taken beyond the stack.
template <typename T>
void additive_score_backward(const AdditiveScore<T>& problem, const T* d_scores,
                             const AdditiveScoreGradient<T>& gradient) noexcept;

}  // namespace heed::kernels
