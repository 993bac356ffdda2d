// SPDX-License-Identifier: Apache-2.0
// Fused attention whose weights have exact zeros: sparsemax, entmax and top-k softmax of
// scale q . k, changed and masked, times v, and its gradient. No memory of the size Q x K; the work
// of the gradient is that of the support. Letters as in attention.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "heed/kernels/attention/attention.h"

#pragma GCC visibility push(default)  // exported

namespace heed::kernels {

struct SparseNormaliser {
  enum class Kind { entmax, topk_softmax };
  Kind kind = Kind::entmax;
  // Of entmax, one for all heads or one per head: 1 is softmax, 2 is sparsemax; at least .9.
  std::vector<double> alpha = {};
  std::size_t k = 1;  // of topk_softmax: keys that are kept, the first of equals

  double alpha_of(std::size_t head) const {
    if (kind == Kind::topk_softmax) return 1;
    return alpha.size() == 1 ? alpha[0] : alpha[head];
  }
};

// Where the forward pass keeps the support for the backward pass. Rows are numbered
// (b H + h) Q + q; row i has entries [offsets[i], offsets[i] + counts[i]) of keys and weights, the
// keys ascending, unless it did not fit and offsets[i] is -1. Weights are those before dropout.
template <typename T>
struct SparseSupport {
  std::size_t room = 0;             // entries per block of kSupportRows queries; 0 keeps nothing
  std::int32_t* keys = nullptr;     // [support_entries]
  T* weights = nullptr;             // [support_entries]
  std::int64_t* offsets = nullptr;  // [B,H,Q]
  std::int32_t* counts = nullptr;   // [B,H,Q], right for rows that did not fit as well
};

// Queries that share the room of a block: a row with many keys may take what its neighbours leave.
inline constexpr std::size_t kSupportRows = 48;

// How many entries a SparseSupport of this room needs.
inline std::size_t support_entries(const AttentionSizes& sizes, std::size_t room) {
  return sizes.batch * sizes.heads * ((sizes.queries + kSupportRows - 1) / kSupportRows) * room;
}

// context [B,H,Q,V]. A query without an allowed key gets zeros. False when some context is not
// finite: then a NaN or infinity in a masked key or value may have reached it. Weights are those of
// kernels::entmax and kernels::softmax. The bits do not depend on the number of threads.
template <typename T>
bool sparse_attention_forward(const AttentionCall<T>& call, const SparseNormaliser& normaliser,
                              const Heads<T>& context,
                              const SparseSupport<T>& support = {}) noexcept;

template <typename T>
struct SparseAttentionBackward {
  Heads<const T> d_context;       // [B,H,Q,V]
  SparseSupport<T> support = {};  // as the forward pass left it; rows not kept are computed again
  Heads<T> d_query;               // overwritten, like the other two
  Heads<T> d_keys;
  Heads<T> d_values;
  T* d_parameters = nullptr;  // [sum of parameter_count()] of all changes, overwritten; may be null
  double* d_alpha = nullptr;  // [H], overwritten; may be null, and is for topk_softmax
};

// False when some gradient is not finite. The same bits for the same number of threads.
template <typename T>
bool sparse_attention_backward(const AttentionCall<T>& call, const SparseNormaliser& normaliser,
                               const SparseAttentionBackward<T>& with) noexcept;

// The keys of a query's support, ascending, and their weights before dropout.
template <typename T>
using SupportVisitor = std::function<void(std::size_t query, std::span<const std::int32_t> keys,
                                          std::span<const T> weights)>;

// Visits the queries [query_begin, query_end) of one head in order, on the calling thread.
template <typename T>
void visit_support(const AttentionCall<T>& call, const SparseNormaliser& normaliser,
                   const TileRange& queries, const SupportVisitor<T>& visit);

}  // namespace heed::kernels

#pragma GCC visibility pop
