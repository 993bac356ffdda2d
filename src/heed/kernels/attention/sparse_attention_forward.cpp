// SPDX-License-Identifier: Apache-2.0
// Sparse fused attention, forward: the scores of a band of queries against all keys stay in L2, the
// few keys that have a weight are listed, and only their values are read.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>

#include "heed/kernels/attention/sparse_attention.h"
#include "heed/kernels/attention/sparse_attention_band.h"
#include "heed/kernels/dispatch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/attention/sparse_attention_forward.cpp"
#include "heed/kernels/highway.h"
// After highway.h: compiled once per target.
#include "heed/kernels/attention/gathered_rows-inl.h"
#include "heed/kernels/attention/sparse_attention-inl.h"

#ifndef HEED_KERNELS_SPARSE_ATTENTION_FORWARD_CPP_
#define HEED_KERNELS_SPARSE_ATTENTION_FORWARD_CPP_
namespace heed::kernels {
namespace {

// Above this part of its keys a strip multiplies all of them: a listed row of values takes 19
// cycles at width 64, in a product it takes 4.5.
constexpr double kThick = 0.22;

// Keys whose values, 32 KiB of width 64, stay in cache while thick strips pass.
constexpr std::size_t kValueKeys = 128;

// One key head as the kernel reads it.
template <typename T>
struct SparseHead {
  T* keys;    // packed
  T* values;  // [K, V padded], unless the values can be read where they lie
};

template <typename T>
struct SparseForwardBlock {
  const Heads<T>* context;
  const SparseSupport<T>* support;
  const SupportVisitor<T>* visit;
  SparseHead<T> packed;
  T* lines;  // [kMostBandRows, V padded]
  std::size_t query_end;
};

}  // namespace
}  // namespace heed::kernels
#endif  // HEED_KERNELS_SPARSE_ATTENTION_FORWARD_CPP_

HWY_BEFORE_NAMESPACE();
namespace heed::kernels {
namespace HWY_NAMESPACE {
namespace {

template <typename T>
PackedSizes SparseSizes(const AttentionSizes& sizes) {
  const std::size_t whole = RoundUp(sizes.value_width, LaneCount<T>());
  PackedSizes packed;
  packed.columns = kColumns<T>;
  packed.keys = RoundUp(sizes.keys, kColumns<T>) * sizes.width;
  packed.values = whole == sizes.value_width ? 0 : sizes.keys * whole;
  packed.block = kMostBandRows * whole;
  return packed;
}

template <typename T>
void SparsePack(const AttentionCall<T>& call, std::size_t batch, std::size_t key_head,
                std::size_t begin, std::size_t end, const SparseHead<T>& packed) {
  PackKeys(call, batch, key_head, begin, end, packed.keys);
  CopyWholeRows(call.values, call.sizes.value_width, batch, key_head, begin, end, packed.values);
}

// Weights at the front of row r go to the columns of their keys, zeros to the others.
template <typename T>
void SpreadWeights(const SparseBand<T>& band, std::size_t r) {
  const std::size_t count = band.counts[r];
  const std::int32_t* const keys = band.support(r);
  T* const row = band.weights(r);
  if (AllInFront(keys, count)) {
    std::fill(row + count, row + band.stride, T{0});
    return;
  }
  std::copy_n(row, count, band.spare);
  std::fill_n(row, band.stride, T{0});
  for (std::size_t i = 0; i < count; ++i) row[keys[i]] = band.spare[i];
}

// Whether a strip's support is so large that the product over all its keys is cheaper.
template <typename T>
bool Thick(const SparseBand<T>& band, const BandStrip& strip, const StripPlan& plan) {
  std::size_t panels = 0, entries = 0;
  for (const PanelSpan& span : plan.spans) panels += span.end - span.begin;
  for (std::size_t r = 0; r < strip.rows; ++r) entries += band.counts[strip.first + r];
  return static_cast<double>(entries) >
         kThick * static_cast<double>(strip.rows * panels * kColumns<T>);
}

// lines [rows, V padded] = weights . values over all keys of the strips that are thick.
template <typename T>
HWY_INLINE void ThickContext(const SparseBand<T>& band, const bool* thick,
                             const MatrixRows<const T>& values, T* lines) {
  const AttentionSizes& sizes = band.call->sizes;
  const std::size_t width = RoundUp(sizes.value_width, LaneCount<T>());
  for (std::size_t s = 0; s < band.strips->size(); ++s) {
    if (!thick[s]) continue;
    const BandStrip strip = StripOf(band, s);
    for (std::size_t r = strip.first; r < strip.first + strip.rows; ++r) {
      SpreadWeights(band, r);
    }
    std::fill_n(lines + strip.first * width, strip.rows * width, T{0});
  }
  const T keep[kRows] = {1, 1, 1, 1, 1, 1};
  OverPanels(
      band, kValueKeys / kColumns<T>, [&](std::size_t s, std::size_t begin, std::size_t end) {
        if (!thick[s]) return;
        const BandStrip strip = StripOf(band, s);
        const std::size_t key = begin * kColumns<T>;
        const std::size_t count = std::min(end * kColumns<T>, sizes.keys) - key;
        StripProduct<T, Left::rows>(strip.rows, width, count, band.weights(strip.first) + key,
                                    band.stride, values.row(key), kColumns<T>, values.stride,
                                    {lines + strip.first * width, width, keep, T{1}});
      });
}

template <typename T>
HWY_INLINE void DropWeights(const SparseBand<T>& band) {
  const WeightDropout& dropout = band.call->dropout;
  if (dropout.probability == 0) return;
  const AttentionSizes& sizes = band.call->sizes;
  for (std::size_t r = 0; r < band.rows; ++r) {
    const std::size_t row =
        row_index(sizes, band.batch, band.head, band.first_query + band.first_row + r);
    const DroppedWeight factor{dropout, row * sizes.keys};
    T* const weights = band.weights(r);
    for (std::size_t i = 0; i < band.counts[r]; ++i) {
      weights[i] = static_cast<T>(weights[i] * factor(band.support(r)[i]));
    }
  }
}

template <typename T>
HWY_INLINE bool WriteContext(const SparseBand<T>& band, const SparseForwardBlock<T>& block) {
  const AttentionSizes& sizes = band.call->sizes;
  const std::size_t width = RoundUp(sizes.value_width, LaneCount<T>());
  const std::size_t key_head = band.head / (sizes.heads / sizes.key_heads);
  const MatrixRows<const T> values =
      WholeRows(band.call->values, sizes.value_width, band.batch, key_head, block.packed.values);
  bool thick[kMostBandRows], some_thick = false;
  for (std::size_t s = 0; s < band.strips->size(); ++s) {
    thick[s] = Thick(band, StripOf(band, s), (*band.strips)[s]);
    some_thick = some_thick || thick[s];
  }
  if (some_thick) ThickContext(band, thick, values, block.lines);
  bool finite = true;
  for (std::size_t s = 0; s < band.strips->size(); ++s) {
    const BandStrip strip = StripOf(band, s);
    for (std::size_t row = strip.first; row < strip.first + strip.rows; ++row) {
      T* const line = block.lines + row * width;
      if (!thick[s]) {
        SumOfRows({band.support(row), band.counts[row]}, band.weights(row), values, width, line);
      }
      const std::size_t query = band.first_query + band.first_row + row;
      finite &=
          WriteRow(sizes.value_width, T{1}, line, block.context->row(band.batch, band.head, query));
    }
  }
  return finite;
}

// Keeps the support of a band after the `used` entries its block has so far.
template <typename T>
void KeepRows(const SparseBand<T>& band, const SparseSupport<T>& kept, std::size_t& used) {
  const AttentionSizes& sizes = band.call->sizes;
  const std::size_t blocks = (sizes.queries + kSupportRows - 1) / kSupportRows;
  // The block whose first query is floor(Q i / blocks) is block i.
  const std::size_t i = (band.first_query * blocks + sizes.queries - 1) / sizes.queries;
  const std::size_t begin = ((band.batch * sizes.heads + band.head) * blocks + i) * kept.room;
  for (std::size_t r = 0; r < band.rows; ++r) {
    const std::size_t row =
        row_index(sizes, band.batch, band.head, band.first_query + band.first_row + r);
    const std::size_t count = band.counts[r];
    kept.counts[row] = static_cast<std::int32_t>(count);
    kept.offsets[row] = -1;
    if (used + count > kept.room) continue;
    kept.offsets[row] = static_cast<std::int64_t>(begin + used);
    std::copy_n(band.support(r), count, kept.keys + begin + used);
    std::copy_n(band.weights(r), count, kept.weights + begin + used);
    used += count;
  }
}

// One block of queries, band by band; `band` comes with its room and everything that is the same
// for the block.
template <typename T>
bool SparseBlock(SparseBand<T>& band, const SparseForwardBlock<T>& block) {
  const std::size_t rows = block.query_end - band.first_query;
  const std::size_t most = BandSizes{band.call->sizes.keys, 0, 0}.rows();
  const std::size_t bands = (rows + most - 1) / most;
  std::size_t used = 0;
  bool finite = true;
  for (std::size_t i = 0; i < bands; ++i) {
    band.first_row = even(rows, bands, i);
    band.rows = even(rows, bands, i + 1) - band.first_row;
    FindSupport(band);
    if (block.support->offsets != nullptr) KeepRows(band, *block.support, used);
    if (block.visit != nullptr) {
      for (std::size_t r = 0; r < band.rows; ++r) {
        (*block.visit)(band.first_query + band.first_row + r, {band.support(r), band.counts[r]},
                       {band.weights(r), band.counts[r]});
      }
      continue;
    }
    DropWeights(band);
    finite &= WriteContext(band, block);
  }
  return finite;
}

PackedSizes SparseSizesEntry(const AttentionSizes& s) {
  return SparseSizes<Scalar>(s);
}
void SparsePackEntry(const AttentionCall<Scalar>& call, std::size_t b, std::size_t g,
                     std::size_t begin, std::size_t end, const SparseHead<Scalar>& packed) {
  SparsePack(call, b, g, begin, end, packed);
}
bool SparseBlockEntry(SparseBand<Scalar>& band, const SparseForwardBlock<Scalar>& block) {
  return SparseBlock(band, block);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace heed::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {
namespace {

HWY_EXPORT(SparseSizesEntry);
HWY_EXPORT(SparsePackEntry);
HWY_EXPORT(SparseBlockEntry);

// Runs queries [begin, end) of one head.
template <typename T>
bool run_block(const AttentionCall<T>& call, const SparseNormaliser& normaliser,
               const TileRange& range, const PackedSizes& packed_sizes, BlockScratch& scratch,
               SparseForwardBlock<T>& block) {
  thread_local std::vector<StripPlan> strips;
  const BandSizes sizes{call.sizes.keys, call.sizes.width, sizeof(T)};
  scratch.plan.make(call.mask, range, call.sizes.keys);
  SparseBand<T> band;
  band.call = &call;
  band.normaliser = &normaliser;
  band.packed_keys = block.packed.keys;
  band.plan = &scratch.plan;
  band.batch = range.batch;
  band.head = range.head;
  band.first_query = range.query_begin;
  band.strips = &strips;
  block.lines = scratch.room<T>(packed_sizes.block + sizes.bytes() / sizeof(T) + 16);
  block.query_end = range.query_end;
  place_band(sizes, block.lines + (packed_sizes.block + 15) / 16 * 16, band);
  return HWY_DYNAMIC_DISPATCH(SparseBlockEntry)(band, block);
}

}  // namespace

template <typename T>
bool sparse_attention_forward(const AttentionCall<T>& call, const SparseNormaliser& normaliser,
                              const Heads<T>& context, const SparseSupport<T>& support) noexcept {
  const AttentionSizes& sizes = call.sizes;
  const PackedSizes packed_sizes = HWY_DYNAMIC_DISPATCH(SparseSizesEntry)(sizes);
  std::atomic<bool> finite = true;
  const auto pack = [&](const Team& team, std::size_t b, std::size_t g, T* room) {
    constexpr std::size_t kGrain = 512;
    team.share(sizes.keys, kGrain, [&](std::size_t begin, std::size_t end) {
      HWY_DYNAMIC_DISPATCH(SparsePackEntry)
      (call, b, g, begin, end, {room, room + packed_sizes.keys});
    });
  };
  const auto block = [&](std::size_t b, std::size_t h, std::size_t begin, std::size_t end,
                         T* packed, BlockScratch& scratch) {
    SparseForwardBlock<T> task{.context = &context,
                               .support = &support,
                               .visit = nullptr,
                               .packed = {packed, packed + packed_sizes.keys},
                               .lines = nullptr,
                               .query_end = end};
    const TileRange range{b, h, begin, end, 0, sizes.keys};
    if (!run_block(call, normaliser, range, packed_sizes, scratch, task)) finite = false;
  };
  over_query_blocks<T>(sizes, packed_sizes, kSupportRows, pack, block);
  return finite;
}

template <typename T>
void visit_support(const AttentionCall<T>& call, const SparseNormaliser& normaliser,
                   const TileRange& queries, const SupportVisitor<T>& visit) {
  const AttentionSizes& sizes = call.sizes;
  const PackedSizes packed_sizes = HWY_DYNAMIC_DISPATCH(SparseSizesEntry)(sizes);
  Scratch room;  // of its own: what is visited may call a kernel
  T* const packed =
      static_cast<T*>(room.reserve((packed_sizes.keys + packed_sizes.values) * sizeof(T)));
  const std::size_t key_head = queries.head / (sizes.heads / sizes.key_heads);
  const SparseHead<T> head{packed, packed + packed_sizes.keys};
  HWY_DYNAMIC_DISPATCH(SparsePackEntry)(call, queries.batch, key_head, 0, sizes.keys, head);
  BlockScratch scratch;
  const SparseSupport<T> nothing;
  for (std::size_t begin = queries.query_begin; begin < queries.query_end; begin += kSupportRows) {
    SparseForwardBlock<T> task{.context = nullptr,
                               .support = &nothing,
                               .visit = &visit,
                               .packed = head,
                               .lines = nullptr,
                               .query_end = 0};
    const std::size_t end = std::min(begin + kSupportRows, queries.query_end);
    run_block(call, normaliser, {queries.batch, queries.head, begin, end, 0, sizes.keys},
              packed_sizes, scratch, task);
  }
}

template bool sparse_attention_forward(const AttentionCall<Scalar>&, const SparseNormaliser&,
                                       const Heads<Scalar>&, const SparseSupport<Scalar>&) noexcept;
template void visit_support(const AttentionCall<Scalar>&, const SparseNormaliser&, const TileRange&,
                            const SupportVisitor<Scalar>&);

}  // namespace heed::kernels
#endif  // HWY_ONCE
