// SPDX-License-Identifier: Apache-2.0
// Fused attention for a few queries: dot products with the rows of the keys as they lie, then the
// rows of the values times the weights, chunk by chunk with the softmax carried along.
//
// While a chunk's scores are made its values are asked for: memory is busy meanwhile. Slices of
// keys are independent; their results (maximum, sum, context) are merged in order.
#include "heed/kernels/attention/attention_decode.h"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>

#include "heed/base/threads.h"
#include "heed/kernels/attention/attention_decode_slice.h"
#include "heed/kernels/attention/attention_team.h"
#include "heed/kernels/dispatch.h"
#include "heed/kernels/scratch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/attention/attention_decode.cpp"
#include "heed/kernels/highway.h"
// After highway.h: compiled once per target.
#include "heed/kernels/attention/attention_decode_slice-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels {
namespace HWY_NAMESPACE {
namespace {

// Adds what later keys gave.
template <typename T>
void Merge(const AttentionSizes& sizes, const DecodePartial<T>& into,
           const DecodePartial<T>& later) {
  const hn::ScalableTag<T> d;
  const std::size_t rows = sizes.heads / sizes.key_heads * sizes.queries;
  const std::size_t width = Padded<T>(sizes).value_width;
  for (std::size_t r = 0; r < rows; ++r) {
    const T most = std::max(into.maximum[r], later.maximum[r]);
    const auto here = Exp2(d, hn::Set(d, into.maximum[r] - most));
    const auto there = Exp2(d, hn::Set(d, later.maximum[r] - most));
    into.maximum[r] = most;
    into.sum[r] = into.sum[r] * hn::GetLane(here) + later.sum[r] * hn::GetLane(there);
    T* HWY_RESTRICT to = into.context + r * width;
    const T* HWY_RESTRICT from = later.context + r * width;
    for (std::size_t i = 0; i < width; i += LaneCount<T>()) {
      const auto scaled = hn::Mul(there, hn::LoadU(d, from + i));
      hn::StoreU(hn::MulAdd(here, hn::LoadU(d, to + i), scaled), d, to + i);
    }
  }
}

// Divides by the sum; returns whether all of the context is finite.
template <typename T>
bool Finish(const AttentionSizes& sizes, std::size_t batch, std::size_t key_head,
            const DecodePartial<T>& all, const Heads<T>& context, T* log_sum_exp) {
  const std::size_t group = sizes.heads / sizes.key_heads;
  const std::size_t width = Padded<T>(sizes).value_width;
  bool finite = true;
  for (std::size_t r = 0; r < group * sizes.queries; ++r) {
    const std::size_t head = key_head * group + r / sizes.queries;
    const std::size_t query = r % sizes.queries;
    const T sum = all.sum[r];
    if (log_sum_exp != nullptr) {
      log_sum_exp[(batch * sizes.heads + head) * sizes.queries + query] =
          sum == 0 ? -std::numeric_limits<T>::infinity()
                   : (all.maximum[r] + std::log2(sum)) / ExpConstants<T>::kLog2E;
    }
    finite &= WriteRow(sizes.value_width, sum == 0 ? T{0} : 1 / sum, all.context + r * width,
                       context.row(batch, head, query));
  }
  return finite;
}

DecodeSizes PaddedEntry(const AttentionSizes& sizes) {
  return Padded<Scalar>(sizes);
}
void SliceEntry(const DecodeSlice<Scalar>& slice) {
  Slice(slice);
}
void MergeEntry(const AttentionSizes& sizes, const DecodePartial<Scalar>& into,
                const DecodePartial<Scalar>& later) {
  Merge(sizes, into, later);
}
bool FinishEntry(const AttentionSizes& sizes, std::size_t batch, std::size_t key_head,
                 const DecodePartial<Scalar>& all, const Heads<Scalar>& context,
                 Scalar* log_sum_exp) {
  return Finish(sizes, batch, key_head, all, context, log_sum_exp);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace heed::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {
namespace {

HWY_EXPORT(PaddedEntry);
HWY_EXPORT(SliceEntry);
HWY_EXPORT(MergeEntry);
HWY_EXPORT(FinishEntry);

constexpr std::uint64_t low_bits(std::size_t n) {
  return n >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1;
}

// Fills words [kDecodeTiles, rows] for the keys [begin, end) of a key head. Returns whether a key
// is allowed for any row, and sets `all` when every key is for every row.
template <typename T>
bool look(const AttentionCall<T>& call, std::size_t batch, std::size_t key_head, std::size_t begin,
          std::size_t end, std::uint64_t* words, bool& all) {
  const AttentionSizes& sizes = call.sizes;
  const std::size_t group = sizes.heads / sizes.key_heads;
  const std::size_t rows = group * sizes.queries;
  const std::size_t count = (end - begin + kMaskKeys - 1) / kMaskKeys;
  std::size_t tiles[kDecodeTiles];
  for (std::size_t i = 0; i < count; ++i) tiles[i] = begin + i * kMaskKeys;
  bool any = false;
  all = end - begin == count * kMaskKeys;
  for (std::size_t h = 0; h < group; ++h) {
    const std::size_t head = key_head * group + h;
    const TileCover cover = call.mask == nullptr
                                ? TileCover::full
                                : call.mask->classify({batch, head, 0, sizes.queries, begin, end});
    any = any || cover != TileCover::empty;
    all = all && cover == TileCover::full;
    for (std::size_t q = 0; q < sizes.queries; ++q) {
      std::uint64_t row_words[kDecodeTiles];
      if (cover == TileCover::mixed) call.mask->allowed(batch, head, q, {tiles, count}, row_words);
      for (std::size_t i = 0; i < count; ++i) {
        words[i * rows + h * sizes.queries + q] = cover == TileCover::mixed ? row_words[i]
                                                  : cover == TileCover::full
                                                      ? low_bits(end - tiles[i])
                                                      : 0;
      }
    }
  }
  return any;
}

// What one thread holds.
struct DecodeScratch {
  Scratch numbers;
  Scratch partials;
  Scratch words;
};

DecodeScratch& decode_scratch() {
  thread_local DecodeScratch scratch;
  return scratch;
}

}  // namespace

template <typename T>
bool attention_decode(const AttentionCall<T>& call, const Heads<T>& context,
                      T* log_sum_exp) noexcept {
  const AttentionSizes& sizes = call.sizes;
  const std::size_t rows = sizes.heads / sizes.key_heads * sizes.queries;
  const std::size_t key_heads = sizes.batch * sizes.key_heads;
  if (rows * key_heads == 0) return true;
  const DecodeSizes padded = HWY_DYNAMIC_DISPATCH(PaddedEntry)(sizes);
  const std::size_t slices =
      std::max<std::size_t>(1, (sizes.keys + kDecodeSlice - 1) / kDecodeSlice);
  const std::size_t partial_size = 2 * padded.rows + rows * padded.value_width + 16;
  const auto partial = [&](T* room, std::size_t i) {
    T* at = room + i * partial_size;
    return DecodePartial<T>{at, at + padded.rows, at + 2 * padded.rows};
  };
  const auto run = [&](std::size_t key_head, std::size_t slice, const DecodePartial<T>& to) {
    DecodeScratch& scratch = decode_scratch();
    auto* words = static_cast<std::uint64_t*>(
        scratch.words.reserve(kDecodeTiles * rows * sizeof(std::uint64_t)));
    T* numbers = static_cast<T*>(
        scratch.numbers.reserve((rows * (padded.width + kDecodeChunk) + padded.rows) * sizeof(T)));
    const std::size_t begin = std::min(slice * kDecodeSlice, sizes.keys);
    const std::size_t end = std::min(begin + kDecodeSlice, sizes.keys);
    DecodeSlice<T> task{.call = &call,
                        .batch = key_head / sizes.key_heads,
                        .key_head = key_head % sizes.key_heads,
                        .key_begin = begin,
                        .key_end = end,
                        .words = words,
                        .query = numbers,
                        .scores = numbers + rows * padded.width,
                        .keep = numbers + rows * (padded.width + kDecodeChunk),
                        .to = to};
    bool all = false;
    if (!look(call, task.batch, task.key_head, begin, end, words, all)) task.key_end = begin;
    if (all) task.words = nullptr;
    HWY_DYNAMIC_DISPATCH(SliceEntry)(task);
  };
  std::atomic<bool> finite = true;
  const auto finish = [&](std::size_t key_head, const DecodePartial<T>& all) {
    if (!HWY_DYNAMIC_DISPATCH(FinishEntry)(sizes, key_head / sizes.key_heads,
                                           key_head % sizes.key_heads, all, context, log_sum_exp)) {
      finite = false;
    }
  };
  const auto run_head = [&](std::size_t key_head) {
    T* room = static_cast<T*>(decode_scratch().partials.reserve(2 * partial_size * sizeof(T)));
    const DecodePartial<T> all = partial(room, 0), later = partial(room, 1);
    run(key_head, 0, all);
    for (std::size_t slice = 1; slice < slices; ++slice) {
      run(key_head, slice, later);
      HWY_DYNAMIC_DISPATCH(MergeEntry)(sizes, all, later);
    }
    finish(key_head, all);
  };
  // Elements to read below which a second thread does not pay: 256 KiB take some 10 us.
  constexpr std::size_t kGrain = std::size_t{1} << 16;
  const std::size_t work = key_heads * sizes.keys * (sizes.width + sizes.value_width);
  const auto most = static_cast<std::size_t>(omp_in_parallel() != 0 ? 1 : threads());
  const int count = static_cast<int>(std::clamp<std::size_t>(work / kGrain, 1, most));
  if (count == 1 || slices == 1 || key_heads >= 8 * most) {
#pragma omp parallel for num_threads(count) schedule(dynamic, 1) if (count > 1)
    for (std::size_t key_head = 0; key_head < key_heads; ++key_head) run_head(key_head);
    return finite;
  }
  T* room = static_cast<T*>(
      decode_scratch().partials.reserve(key_heads * slices * partial_size * sizeof(T)));
#pragma omp parallel num_threads(count)
  {
#pragma omp for schedule(dynamic, 1)
    for (std::size_t i = 0; i < key_heads * slices; ++i) {
      run(i / slices, i % slices, partial(room, i));
    }
#pragma omp for schedule(static)
    for (std::size_t key_head = 0; key_head < key_heads; ++key_head) {
      const DecodePartial<T> all = partial(room, key_head * slices);
      for (std::size_t slice = 1; slice < slices; ++slice) {
        HWY_DYNAMIC_DISPATCH(MergeEntry)(sizes, all, partial(room, key_head * slices + slice));
      }
      finish(key_head, all);
    }
  }
  return finite;
}

// Against attention_forward on AVX2, 1,024 keys of width 64, rows per key head: 1 takes 1/2.2 of
// the time, 2 1/2.7, 4 1/2.4, 8 1/1.9, 16 1/1.15, 32 as long, 64 1/.95.
template bool attention_decode(const AttentionCall<Scalar>&, const Heads<Scalar>&,
                               Scalar*) noexcept;

}  // namespace heed::kernels
#endif  // HWY_ONCE
