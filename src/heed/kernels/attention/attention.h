// SPDX-License-Identifier: Apache-2.0
// Fused attention, with FlashAttention-like tiling: softmax(scale q . k, changed and masked) . v
// and its gradient, tile by tile, with no memory of the size Q x K. Letters: B batch, H query
// heads, G key heads (H is a multiple of G), Q queries, K keys, D width of queries and keys, V
// width of values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#pragma GCC visibility push(default)  // exported

namespace heed::kernels {

// An operand [batch, heads, length, width] whose last axis is dense; strides in elements. Both
// [B,H,S,D] and [B,S,H,D] are this.
template <typename T>
struct Heads {
  T* data = nullptr;
  std::size_t batch_stride = 0;
  std::size_t head_stride = 0;
  std::size_t row_stride = 0;

  T* row(std::size_t batch, std::size_t head, std::size_t i) const {
    return data + batch * batch_stride + head * head_stride + i * row_stride;
  }
};

struct AttentionSizes {
  std::size_t batch = 1;
  std::size_t heads = 1;
  std::size_t key_heads = 1;
  std::size_t queries = 0;
  std::size_t keys = 0;
  std::size_t width = 0;
  std::size_t value_width = 0;
};

enum class TileCover { empty, full, mixed };

// Queries [query_begin, query_end) and keys [key_begin, key_end) of one head.
struct TileRange {
  std::size_t batch;
  std::size_t head;
  std::size_t query_begin;
  std::size_t query_end;
  std::size_t key_begin;
  std::size_t key_end;
};

// Keys of one word of a mask, and the grain in which a mask is asked.
inline constexpr std::size_t kMaskKeys = 64;

// Which keys a query may see. It is asked from several threads at once.
class KeyMask {
 public:
  virtual ~KeyMask() = default;
  // `mixed` is always a right answer; `empty` and `full` must be true.
  virtual TileCover classify(const TileRange& tile) const noexcept = 0;
  // Bit c of words[i]: whether the query may see key tiles[i] + c. Tiles ascend and are multiples
  // of kMaskKeys; bits after the last key are 0.
  virtual void allowed(std::size_t batch, std::size_t head, std::size_t query,
                       std::span<const std::size_t> tiles, std::uint64_t* words) const noexcept = 0;
  // Whether all sequences of the batch, and all heads, get the same answers.
  virtual bool alike_in_batch() const noexcept { return false; }
  virtual bool alike_in_heads() const noexcept { return false; }
};

// Scores of neighbouring queries and keys: score (r, c) at data[r * stride + c] belongs to query
// `query + r` and key `key + c`.
template <typename T>
struct ScoreTile {
  T* data;
  std::size_t stride;
  std::size_t rows;
  std::size_t columns;
  std::size_t batch;
  std::size_t head;
  std::size_t query;
  std::size_t key;

  T* row(std::size_t r) const { return data + r * stride; }
};

// A change of the scores, called once per tile and from several threads at once. Masked keys may be
// among the columns: what is made of them is not used. It must not throw inside a kernel; whoever
// hands a kernel one that may wraps it (attention/fused/operands.h).
template <typename T>
class ScoreChange {
 public:
  virtual ~ScoreChange() = default;
  virtual void change(const ScoreTile<T>& scores) const = 0;
  // `gradient`, of the same shape and stride, arrives as that of the changed scores and leaves as
  // that of `before`, the scores this change was given. What belongs to parameters of the change is
  // added to `parameters`, room for parameter_count() numbers that starts at 0.
  virtual void derivative(const ScoreTile<const T>& before, T* gradient, T* parameters) const = 0;
  virtual std::size_t parameter_count() const noexcept { return 0; }
  // Whether derivative leaves the gradient as it is and reads no scores, as for whatever is added.
  virtual bool adds() const noexcept { return false; }
};

// Drops weights after the normaliser; element (row, key) of the mask, row = (b H + h) Q + q, is
// element `row * K + key` of kernels::dropout with the same options.
struct WeightDropout {
  double probability = 0;
  std::uint64_t seed = 0;
  std::uint64_t stream = 0;
};

template <typename T>
struct AttentionCall {
  AttentionSizes sizes;
  Heads<const T> query;   // [B,H,Q,D]
  Heads<const T> keys;    // [B,G,K,D]
  Heads<const T> values;  // [B,G,K,V]
  T scale = 1;
  std::span<const ScoreChange<T>* const> changes = {};  // in order, after the scale
  const KeyMask* mask = nullptr;                        // null: every key
  WeightDropout dropout = {};
};

// context [B,H,Q,V]; log_sum_exp [B,H,Q] dense, or null. A query without an allowed key gets zeros
// and -infinity. False when under a mask some context is not finite: then a NaN or infinity in a
// masked key or value may have reached it.
// Threads: heed::threads(); the bits do not depend on their number.
template <typename T>
bool attention_forward(const AttentionCall<T>& call, const Heads<T>& context,
                       T* log_sum_exp) noexcept;

template <typename T>
struct AttentionBackward {
  Heads<const T> context;    // [B,H,Q,V], as attention_forward gave it
  Heads<const T> d_context;  // [B,H,Q,V]
  const T* log_sum_exp;      // [B,H,Q], likewise
  Heads<T> d_query;          // overwritten, like the other two
  Heads<T> d_keys;
  Heads<T> d_values;
  T* d_parameters = nullptr;  // [sum of parameter_count()] of all changes, overwritten; may be null
};

// False when some gradient is not finite, as above. The same bits for the same number of threads.
template <typename T>
bool attention_backward(const AttentionCall<T>& call, const AttentionBackward<T>& with) noexcept;

}  // namespace heed::kernels

#pragma GCC visibility pop
