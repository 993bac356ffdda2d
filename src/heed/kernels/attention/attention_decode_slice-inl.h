// SPDX-License-Identifier: Apache-2.0
// A slice of keys for few queries: scores, softmax and context, chunk by chunk; included once per
// CPU target (see highway.h).
#if defined(HEED_KERNELS_ATTENTION_DECODE_SLICE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_KERNELS_ATTENTION_DECODE_SLICE_INL_H_
#undef HEED_KERNELS_ATTENTION_DECODE_SLICE_INL_H_
#else
#define HEED_KERNELS_ATTENTION_DECODE_SLICE_INL_H_
#endif

#include <algorithm>
#include <cstddef>
#include <limits>

#include "heed/kernels/attention/attention_decode-inl.h"
#include "heed/kernels/attention/attention_decode_slice.h"
#include "heed/kernels/attention/attention_team.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels {
namespace HWY_NAMESPACE {

template <typename T>
DecodeSizes Padded(const AttentionSizes& sizes) {
  constexpr std::size_t kL = LaneCount<T>();
  constexpr std::size_t kRoundRows = 16;
  static_assert(kRoundRows % kL == 0 && kMaskKeys % kL == 0);
  return {.rows = RoundUp(sizes.heads / sizes.key_heads * sizes.queries, kRoundRows),
          .width = RoundUp(sizes.width, kL),
          .value_width = RoundUp(sizes.value_width, kL)};
}

template <typename T>
HWY_INLINE void Scores(const DecodeSlice<T>& slice, std::size_t rows, std::size_t width,
                       std::size_t keys, const MemoryRows<T>& memory, MemoryRows<T> wanted) {
  OverRows<kMostRows>(rows, [&](std::size_t first, auto count) HWY_ATTR {
    DotRows<T, count()>(keys, memory, wanted, slice.query + first * width, width,
                        slice.scores + first * kChunk);
    wanted = memory;  // the next rows find all of it asked for
  });
}

template <typename T>
HWY_INLINE void Change(const DecodeSlice<T>& slice, std::size_t rows, std::size_t key,
                       std::size_t keys) {
  const hn::ScalableTag<T> d;
  const AttentionSizes& sizes = slice.call->sizes;
  const std::size_t group = sizes.heads / sizes.key_heads;
  for (const ScoreChange<T>* change : slice.call->changes) {
    for (std::size_t h = 0; h < group; ++h) {
      change->change({slice.scores + h * sizes.queries * kChunk, kChunk, sizes.queries, keys,
                      slice.batch, slice.key_head * group + h, 0, key});
    }
  }
  const auto log2e = hn::Set(d, ExpConstants<T>::kLog2E);
  for (std::size_t r = 0; r < rows; ++r) {
    T* HWY_RESTRICT row = slice.scores + r * kChunk;
    for (std::size_t i = 0; i < RoundUp(keys, kMaskKeys); i += LaneCount<T>()) {
      hn::StoreU(hn::Mul(log2e, hn::LoadU(d, row + i)), d, row + i);
    }
  }
}

// Masked keys, and those after the last, score -infinity: words [tiles, rows].
template <typename T>
HWY_INLINE void Hide(const DecodeSlice<T>& slice, std::size_t rows, std::size_t tiles,
                     const std::uint64_t* words) {
  const hn::ScalableTag<T> d;
  const auto hidden = hn::Set(d, -std::numeric_limits<T>::infinity());
  for (std::size_t tile = 0; tile < tiles; ++tile) {
    const MaskedPanel panel{0, words + tile * rows, 0};
    for (std::size_t r = 0; r < rows; ++r) {
      if (panel.words[r] == ~std::uint64_t{0}) continue;
      for (std::size_t v = 0; v < kMaskKeys / LaneCount<T>(); ++v) {
        T* at = slice.scores + r * kChunk + tile * kMaskKeys + v * LaneCount<T>();
        hn::StoreU(hn::IfThenElse(Seen<T>(d, panel, r, v), hn::LoadU(d, at), hidden), d, at);
      }
    }
  }
}

// Scores become weights relative to the running maximum; `keep` is what the past is worth then.
template <typename T>
HWY_INLINE void Exponentials(const DecodeSlice<T>& slice, std::size_t rows, std::size_t padded,
                             std::size_t columns) {
  const hn::ScalableTag<T> d;
  constexpr std::size_t kL = LaneCount<T>();
  for (std::size_t r = 0; r < rows; ++r) {
    const T* HWY_RESTRICT row = slice.scores + r * kChunk;
    auto best = hn::Set(d, slice.to.maximum[r]);
    for (std::size_t i = 0; i < columns; i += kL) best = hn::Max(best, hn::LoadU(d, row + i));
    const T most = hn::GetLane(hn::MaxOfLanes(d, best));
    slice.keep[r] = slice.to.maximum[r] - most;
    slice.to.maximum[r] = most;
  }
  for (std::size_t r = 0; r < padded; r += kL) {
    hn::StoreU(Exp2(d, hn::LoadU(d, slice.keep + r)), d, slice.keep + r);
  }
  for (std::size_t r = 0; r < rows; ++r) {
    T* HWY_RESTRICT row = slice.scores + r * kChunk;
    const auto maximum = hn::Set(d, slice.to.maximum[r]);
    auto sum = hn::Zero(d);
    for (std::size_t i = 0; i < columns; i += kL) {
      const auto weight = Exp2(d, hn::Sub(hn::LoadU(d, row + i), maximum));
      sum = hn::Add(sum, weight);
      hn::StoreU(weight, d, row + i);
    }
    slice.to.sum[r] = slice.to.sum[r] * slice.keep[r] + hn::GetLane(hn::SumOfLanes(d, sum));
  }
}

template <typename T>
void Drop(const DecodeSlice<T>& slice, std::size_t rows, std::size_t key, std::size_t keys) {
  const AttentionSizes& sizes = slice.call->sizes;
  const std::size_t first = (slice.batch * sizes.key_heads + slice.key_head) * rows;
  for (std::size_t r = 0; r < rows; ++r) {
    drop_weights(slice.call->dropout, (first + r) * sizes.keys + key, keys,
                 slice.scores + r * kChunk);
  }
}

template <typename T>
HWY_INLINE void Combine(const DecodeSlice<T>& slice, std::size_t rows, std::size_t padded_width,
                        std::size_t keys, const MemoryRows<T>& memory) {
  constexpr std::size_t kL = LaneCount<T>();
  const std::size_t width = memory.width;
  const std::size_t whole = width / kL * kL;
  OverRows<kMostRows>(rows, [&](std::size_t first, auto count) HWY_ATTR {
    const auto panel = [&](std::size_t j, auto vectors, auto lanes) HWY_ATTR {
      AddValues<T, count(), vectors()>(
          keys, {memory.data + j, memory.stride, width}, slice.scores + first * kChunk,
          slice.keep + first, slice.to.context + first * padded_width + j, padded_width, lanes);
    };
    constexpr std::size_t kMost = kValueVectors<count()>;
    for (std::size_t j = 0; j < whole; j += kMost * kL) {
      WithConstant<kMost>(std::min((whole - j) / kL, kMost),
                          [&](auto vectors) HWY_ATTR { panel(j, vectors, WholeVector{}); });
    }
    if (whole < width) {
      panel(whole, std::integral_constant<std::size_t, 1>{}, Tail{width - whole});
    }
  });
}

// The keys of the chunk that begins with `key`: up to the first tile that no query may see.
template <typename T>
std::size_t ChunkKeys(const DecodeSlice<T>& slice, std::size_t rows, std::size_t key) {
  const std::size_t end = std::min(key + kChunk, slice.key_end);
  if (slice.words == nullptr) return end - key;
  std::size_t at = key;
  for (; at < end; at += kMaskKeys) {
    const std::uint64_t* words = slice.words + (at - slice.key_begin) / kMaskKeys * rows;
    if (std::all_of(words, words + rows, [](std::uint64_t w) { return w == 0; })) break;
  }
  return std::min(at, end) - key;
}

template <typename T>
void Chunk(const DecodeSlice<T>& slice, std::size_t rows, std::size_t key, std::size_t keys) {
  const AttentionCall<T>& call = *slice.call;
  const DecodeSizes padded = Padded<T>(call.sizes);
  const MemoryRows<T> k{call.keys.row(slice.batch, slice.key_head, key), call.keys.row_stride,
                        call.sizes.width};
  const MemoryRows<T> v{call.values.row(slice.batch, slice.key_head, key), call.values.row_stride,
                        call.sizes.value_width};
  const std::size_t columns = RoundUp(keys, kMaskKeys);
  Scores(slice, rows, padded.width, keys, k, v);
  if (!call.changes.empty()) Change(slice, rows, key, keys);
  if (slice.words != nullptr) {
    Hide(slice, rows, columns / kMaskKeys,
         slice.words + (key - slice.key_begin) / kMaskKeys * rows);
  }
  Exponentials(slice, rows, padded.rows, columns);
  if (call.dropout.probability > 0) Drop(slice, rows, key, keys);
  Combine(slice, rows, padded.value_width, keys, v);
}

template <typename T>
void Slice(const DecodeSlice<T>& slice) {
  const AttentionCall<T>& call = *slice.call;
  const AttentionSizes& sizes = call.sizes;
  const DecodeSizes padded = Padded<T>(sizes);
  const std::size_t group = sizes.heads / sizes.key_heads;
  const std::size_t rows = group * sizes.queries;
  const T scale = call.changes.empty() ? call.scale * ExpConstants<T>::kLog2E : call.scale;
  for (std::size_t h = 0; h < group; ++h) {
    CopyRows<T>(sizes.queries, sizes.width,
                call.query.row(slice.batch, slice.key_head * group + h, 0), call.query.row_stride,
                scale, slice.query + h * sizes.queries * padded.width, padded.width);
  }
  std::fill_n(slice.to.maximum, padded.rows, std::numeric_limits<T>::lowest());
  std::fill_n(slice.to.sum, padded.rows, T{0});
  std::fill_n(slice.keep, padded.rows, T{0});
  std::fill_n(slice.to.context, rows * padded.value_width, T{0});
  for (std::size_t key = slice.key_begin; key < slice.key_end;) {
    const std::size_t keys = ChunkKeys(slice, rows, key);
    if (keys > 0) Chunk(slice, rows, key, keys);
    key += std::max(keys, kMaskKeys);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace heed::kernels
HWY_AFTER_NAMESPACE();

#endif  // HEED_KERNELS_ATTENTION_DECODE_SLICE_INL_H_
