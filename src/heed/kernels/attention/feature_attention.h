// SPDX-License-Identifier: Apache-2.0
// Attention by features: the weight of a key is the product of two vectors of features, so that
// sums over keys serve all queries and no matrix of queries times keys is ever made.
//
//   context_q = phi(q)ᵀ S_q / phi(q)ᵀ z_q,  S_q = Σ_j phi(k_j) v_jᵀ,  z_q = Σ_j phi(k_j)
//
// over the first keys, as many as the query sees. Keys go by in chunks: what came before a chunk is
// in the sums, and a query that sees a part of it multiplies with that part, so that all work is
// products of matrices (Katharopoulos 2020, with the chunks of Hua 2022).
#pragma once

#include <cstddef>
#include <cstdint>

#include "heed/base/exported.h"

namespace heed::kernels {

struct FeatureAttentionShape {
  std::size_t batch, key_heads;
  std::size_t group;  // heads of queries for each head of keys
  std::size_t queries, keys, features, columns;

  std::size_t pairs() const { return batch * key_heads; }
};

template <typename T>
struct FeatureAttentionInput {
  const T* query;             // [B,H,Q,F], features
  const T* keys;              // [B,G,K,F], features
  const T* values;            // [B,G,K,C]
  const T* before;            // [B,G,F,C+1], S and z of keys that came before; null: none did
  const std::int64_t* seen;   // [B,Q], how many keys each query sees; -1: nothing, nor any before
  const std::int64_t* order;  // [B,Q], the queries of a sequence, those that see less first
};

// context [B,H,Q,C]; totals [B,H,Q], what it was divided by. Where that is 0 the context is. Keys
// that no query sees are not read, and NaN in a key that a query does not see does not reach it.
// Heads are spread over threads, whose number changes no bit. False where there is no memory to
// work in, some hundred KB for each thread.
template <typename T>
HEED_EXPORTED bool feature_attention(const FeatureAttentionShape& shape,
                                     const FeatureAttentionInput<T>& in, T* context,
                                     T* totals) noexcept;

template <typename T>
struct FeatureAttentionGradient {
  T* query;  // as the inputs; all are written
  T* keys;
  T* values;
  T* before;  // null: not wanted
};
// Both sums are made again: they would take F C numbers for each chunk.
template <typename T>
HEED_EXPORTED bool feature_attention_backward(const FeatureAttentionShape& shape,
                                              const FeatureAttentionInput<T>& in, const T* context,
                                              const T* totals, const T* d_context,
                                              const FeatureAttentionGradient<T>& change) noexcept;

}  // namespace heed::kernels
