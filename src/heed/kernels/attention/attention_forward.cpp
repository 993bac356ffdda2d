// SPDX-License-Identifier: Apache-2.0
// Fused attention, forward: strips of a few queries over a block of keys that stays in L2, the
// softmax carried along from block to block: the online softmax (Milakov 2018) of FlashAttention
// (Dao 2022).
//
// Unchanged scores live in base 2: the query is multiplied by scale log2(e) as it is copied, so
// that a weight is 2^(score - maximum). Keys are packed, transposed, once per key head, values in
// panels.
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>

#include "heed/base/threads.h"
#include "heed/kernels/attention/attention.h"
#include "heed/kernels/attention/attention_plan.h"
#include "heed/kernels/attention/attention_short.h"
#include "heed/kernels/attention/attention_team.h"
#include "heed/kernels/dispatch.h"
#include "heed/kernels/scratch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/attention/attention_forward.cpp"
#include "heed/kernels/highway.h"
// After highway.h: compiled once per target.
#include "heed/kernels/attention/attention_tiles-inl.h"

#ifndef HEED_KERNELS_ATTENTION_FORWARD_CPP_
#define HEED_KERNELS_ATTENTION_FORWARD_CPP_
namespace heed::kernels {
namespace {

// Queries of one task, and keys whose scores a strip holds at a time: 6 x 512 floats are 12 KiB of
// L1, 512 keys and values of width 64 are 256 KiB of L2.
constexpr std::size_t kQueryBlock = 96;
constexpr std::size_t kKeyBlock = 512;

// One key head as the tiles read it.
template <typename T>
struct PackedHead {
  T* keys;    // panels of kColumns keys, each [D, kColumns]
  T* values;  // panels of kColumns columns, each [K, kColumns]
};

template <typename T>
struct ForwardBlock {
  const AttentionCall<T>* call;
  const Heads<T>* context;
  T* log_sum_exp;
  PackedHead<T> packed;
  const BlockPlan* plan;
  StripPlan* strip;
  T* scratch;
  std::size_t batch, head, query_begin, query_end;
};

}  // namespace
}  // namespace heed::kernels
#endif  // HEED_KERNELS_ATTENTION_FORWARD_CPP_

HWY_BEFORE_NAMESPACE();
namespace heed::kernels {
namespace HWY_NAMESPACE {
namespace {

// Elements of a packed key head and of the scratch of a block.
template <typename T>
PackedSizes Sizes(const AttentionSizes& sizes) {
  PackedSizes packed;
  packed.columns = kColumns<T>;
  packed.keys = RoundUp(sizes.keys, kColumns<T>) * sizes.width;
  packed.values = sizes.keys * PaddedWidth<T>(sizes.value_width) + kColumns<T>;
  packed.block = kQueryBlock * PaddedWidth<T>(sizes.value_width)  // the context of the block
                 + kRows * kKeyBlock                              // a strip of scores
                 + kQueryBlock * sizes.width                      // its queries, scaled
                 + 64;
  static_assert(kKeyBlock % kColumns<T> == 0);  // no tile passes the end of a strip's row
  return packed;
}

// Packs the keys [begin, end) of one key head; begin is a multiple of kColumns.
template <typename T>
void Pack(const AttentionCall<T>& call, std::size_t batch, std::size_t key_head, std::size_t begin,
          std::size_t end, const PackedHead<T>& packed) {
  const AttentionSizes& sizes = call.sizes;
  for (std::size_t key = begin; key < end; key += kColumns<T>) {
    const std::size_t columns = std::min(kColumns<T>, end - key);
    PackPanel<T>(sizes.width, columns,
                 {call.keys.row(batch, key_head, key), true, call.keys.row_stride},
                 packed.keys + key * sizes.width);
    for (std::size_t j = 0; j < sizes.value_width; j += kColumns<T>) {
      const std::size_t width = std::min(kColumns<T>, sizes.value_width - j);
      const std::size_t stride = PaddedWidth<T>(width);
      CopyRows<T>(columns, width, call.values.row(batch, key_head, key) + j, call.values.row_stride,
                  T{1}, packed.values + sizes.keys * j + key * stride, stride);
    }
  }
}

// The scores of one strip over one block of keys become weights relative to the running maximum.
template <typename T>
struct Strip {
  const ForwardBlock<T>* block;
  std::size_t first_row, rows;  // in the block
  T* query;                     // [rows, D], scaled
  T* scores;                    // [rows, kKeyBlock]
  std::array<T, kRows> maximum;
  std::array<T, kRows> sum;
  WholeVectors<T, kRows> keep;  // what a block leaves of the sums of those before it
};

template <typename T>
HWY_INLINE void Scores(Strip<T>& strip, std::size_t key_begin) {
  const ForwardBlock<T>& block = *strip.block;
  const std::size_t width = block.call->sizes.width;
  const Product<T> tile = ProductOf<T, Left::rows>(strip.rows, kVectors);
  for (const PanelSpan& span : block.strip->spans) {
    for (std::size_t panel = span.begin; panel < span.end; ++panel) {
      const std::size_t key = panel * kColumns<T>;
      tile(width, strip.query, width, block.packed.keys + key * width, kColumns<T>,
           {strip.scores + (key - key_begin), kKeyBlock, nullptr, T{1}});
    }
  }
}

template <typename T>
HWY_INLINE void Change(Strip<T>& strip, std::size_t key_begin) {
  const ForwardBlock<T>& block = *strip.block;
  for (const PanelSpan& span : block.strip->spans) {
    const std::size_t key = span.begin * kColumns<T>;
    const std::size_t end = std::min(span.end * kColumns<T>, block.call->sizes.keys);
    for (const ScoreChange<T>* change : block.call->changes) {
      change->change({strip.scores + (key - key_begin), kKeyBlock, strip.rows, end - key,
                      block.batch, block.head, block.query_begin + strip.first_row, key});
    }
  }
}

template <typename T>
HWY_INLINE void Hide(Strip<T>& strip, std::size_t key_begin) {
  const hn::ScalableTag<T> d;
  const auto hidden = hn::Set(d, -std::numeric_limits<T>::infinity());
  for (const MaskedPanel& panel : strip.block->strip->masked) {
    for (std::size_t r = 0; r < strip.rows; ++r) {
      T* HWY_RESTRICT row = strip.scores + r * kKeyBlock + panel.panel * kColumns<T> - key_begin;
      for (std::size_t v = 0; v < kVectors; ++v) {
        T* at = row + v * LaneCount<T>();
        hn::StoreU(hn::IfThenElse(Seen<T>(d, panel, r, v), hn::LoadU(d, at), hidden), d, at);
      }
    }
  }
}

// Changed scores are in base e: kNatural turns their differences into base 2.
template <bool kNatural, typename T>
HWY_INLINE void Exponentials(Strip<T>& strip, std::size_t key_begin) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  constexpr std::size_t kL = LaneCount<T>();
  const V log2e = hn::Set(d, ExpConstants<T>::kLog2E);
  const auto power = [&](V difference) HWY_ATTR {
    return Exp2(d, kNatural ? hn::Mul(log2e, difference) : difference);
  };
  HWY_ALIGN WholeVectors<T, kRows> grown = {};
  for (std::size_t r = 0; r < strip.rows; ++r) {
    const T* HWY_RESTRICT row = strip.scores + r * kKeyBlock;
    auto best0 = hn::Set(d, strip.maximum[r]), best1 = best0;
    for (const PanelSpan& span : strip.block->strip->spans) {
      std::size_t i = span.begin * kColumns<T> - key_begin;
      const std::size_t end = span.end * kColumns<T> - key_begin;
      for (; i < end; i += 2 * kL) {
        best0 = hn::Max(best0, hn::LoadU(d, row + i));
        best1 = hn::Max(best1, hn::LoadU(d, row + i + kL));
      }
    }
    const T best = hn::GetLane(hn::MaxOfLanes(d, hn::Max(best0, best1)));
    grown[r] = strip.maximum[r] - best;
    strip.maximum[r] = best;
  }
  for (std::size_t r = 0; r < kRows; r += kL) {
    hn::StoreU(power(hn::Load(d, grown + r)), d, strip.keep + r);
  }
  for (std::size_t r = 0; r < strip.rows; ++r) {
    T* HWY_RESTRICT row = strip.scores + r * kKeyBlock;
    const auto maximum = hn::Set(d, strip.maximum[r]);
    auto sum0 = hn::Zero(d), sum1 = sum0;
    for (const PanelSpan& span : strip.block->strip->spans) {
      std::size_t i = span.begin * kColumns<T> - key_begin;
      const std::size_t end = span.end * kColumns<T> - key_begin;
      for (; i < end; i += 2 * kL) {
        const auto weight0 = power(hn::Sub(hn::LoadU(d, row + i), maximum));
        const auto weight1 = power(hn::Sub(hn::LoadU(d, row + i + kL), maximum));
        sum0 = hn::Add(sum0, weight0);
        sum1 = hn::Add(sum1, weight1);
        hn::StoreU(weight0, d, row + i);
        hn::StoreU(weight1, d, row + i + kL);
      }
    }
    const T sum = hn::GetLane(hn::SumOfLanes(d, hn::Add(sum0, sum1)));
    strip.sum[r] = strip.sum[r] * strip.keep[r] + sum;
  }
}

// Row by row, so that each weight keeps its place in the mask.
template <typename T>
HWY_INLINE void Drop(Strip<T>& strip, std::size_t key_begin) {
  const ForwardBlock<T>& block = *strip.block;
  const AttentionSizes& sizes = block.call->sizes;
  const std::size_t first_row = (block.batch * sizes.heads + block.head) * sizes.queries +
                                block.query_begin + strip.first_row;
  for (std::size_t r = 0; r < strip.rows; ++r) {
    for (const PanelSpan& span : block.strip->spans) {
      const std::size_t key = span.begin * kColumns<T>;
      const std::size_t end = std::min(span.end * kColumns<T>, sizes.keys);
      T* weights = strip.scores + r * kKeyBlock + key - key_begin;
      drop_weights(block.call->dropout, (first_row + r) * sizes.keys + key, end - key, weights);
    }
  }
}

template <typename T>
HWY_INLINE void Combine(Strip<T>& strip, std::size_t key_begin, T* context) {
  const ForwardBlock<T>& block = *strip.block;
  const AttentionSizes& sizes = block.call->sizes;
  const std::size_t width = PaddedWidth<T>(sizes.value_width);
  for (const PanelSpan& span : block.strip->spans) {
    const std::size_t key = span.begin * kColumns<T>;
    const std::size_t count = std::min(span.end * kColumns<T>, sizes.keys) - key;
    for (std::size_t j = 0; j < width; j += kColumns<T>) {
      const std::size_t stride = std::min(kColumns<T>, width - j);
      ProductOf<T, Left::rows>(strip.rows, stride / LaneCount<T>())(
          count, strip.scores + (key - key_begin), kKeyBlock,
          block.packed.values + sizes.keys * j + key * stride, stride,
          {context + j, width, strip.keep, T{1}});
    }
    std::fill_n(strip.keep, kRows, T{1});
  }
}

// Returns whether all of the context is finite.
template <typename T>
bool Block(const ForwardBlock<T>& block) {
  const AttentionCall<T>& call = *block.call;
  const AttentionSizes& sizes = call.sizes;
  const std::size_t rows = block.query_end - block.query_begin;
  const std::size_t width = PaddedWidth<T>(sizes.value_width);
  const std::size_t strips = (rows + kRows - 1) / kRows;
  constexpr std::size_t kMostStrips = kQueryBlock / kRows + 1;
  T* const context = block.scratch;
  T* const scores = context + kQueryBlock * width;
  T* const query = scores + kRows * kKeyBlock;
  Strip<T> states[kMostStrips];
  for (std::size_t s = 0; s < strips; ++s) {
    Strip<T>& strip = states[s];
    strip.block = &block;
    strip.first_row = StripBegin(rows, strips, s);
    strip.rows = StripBegin(rows, strips, s + 1) - strip.first_row;
    strip.query = query + strip.first_row * sizes.width;
    strip.scores = scores;
    strip.maximum.fill(std::numeric_limits<T>::lowest());
    strip.sum.fill(T{0});
  }
  std::fill_n(context, rows * width, T{0});
  const T scale = call.changes.empty() ? call.scale * ExpConstants<T>::kLog2E : call.scale;
  CopyRows<T>(rows, sizes.width, call.query.row(block.batch, block.head, block.query_begin),
              call.query.row_stride, scale, query, sizes.width);
  for (std::size_t key = 0; key < sizes.keys; key += kKeyBlock) {
    const std::size_t key_end = std::min(key + kKeyBlock, sizes.keys);
    if (!block.plan->visits(key, key_end)) continue;
    for (std::size_t s = 0; s < strips; ++s) {
      Strip<T>& strip = states[s];
      block.plan->strip(strip.first_row, strip.rows, key, key_end, kColumns<T>, *block.strip);
      if (block.strip->spans.empty()) continue;
      Scores(strip, key);
      if (call.changes.empty()) {
        Hide(strip, key);
        Exponentials<false>(strip, key);
      } else {
        Change(strip, key);
        Hide(strip, key);
        Exponentials<true>(strip, key);
      }
      if (call.dropout.probability > 0) Drop(strip, key);
      Combine(strip, key, context + strip.first_row * width);
    }
  }
  const T to_natural = call.changes.empty() ? 1 / ExpConstants<T>::kLog2E : T{1};
  bool finite = true;
  for (std::size_t s = 0; s < strips; ++s) {
    const Strip<T>& strip = states[s];
    for (std::size_t r = 0; r < strip.rows; ++r) {
      const std::size_t row = strip.first_row + r;
      const T sum = strip.sum[r];
      if (block.log_sum_exp != nullptr) {
        block.log_sum_exp[(block.batch * sizes.heads + block.head) * sizes.queries +
                          block.query_begin + row] =
            sum == 0 ? -std::numeric_limits<T>::infinity()
                     : strip.maximum[r] * to_natural + std::log(sum);
      }
      finite &= WriteRow(sizes.value_width, sum == 0 ? T{0} : 1 / sum, context + row * width,
                         block.context->row(block.batch, block.head, block.query_begin + row));
    }
  }
  return finite;
}

PackedSizes SizesEntry(const AttentionSizes& s) {
  return Sizes<Scalar>(s);
}
void PackEntry(const AttentionCall<Scalar>& call, std::size_t b, std::size_t g, std::size_t begin,
               std::size_t end, const PackedHead<Scalar>& packed) {
  Pack(call, b, g, begin, end, packed);
}
bool BlockEntry(const ForwardBlock<Scalar>& block) {
  return Block(block);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace heed::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {
namespace {

HWY_EXPORT(SizesEntry);
HWY_EXPORT(PackEntry);
HWY_EXPORT(BlockEntry);

}  // namespace

template <typename T>
bool attention_forward(const AttentionCall<T>& call, const Heads<T>& context,
                       T* log_sum_exp) noexcept {
  if (short_fits(call)) return attention_short(call, context, log_sum_exp);
  const AttentionSizes& sizes = call.sizes;
  const PackedSizes packed_sizes = HWY_DYNAMIC_DISPATCH(SizesEntry)(sizes);
  std::atomic<bool> finite = true;
  const auto pack = [&](const Team& team, std::size_t b, std::size_t g, T* room) {
    const PackedHead<T> packed{room, room + packed_sizes.keys};
    team.share(sizes.keys, kKeyBlock, [&](std::size_t begin, std::size_t end) {
      HWY_DYNAMIC_DISPATCH(PackEntry)(call, b, g, begin, end, packed);
    });
  };
  const auto block = [&](std::size_t b, std::size_t h, std::size_t begin, std::size_t end,
                         T* packed, BlockScratch& scratch) {
    scratch.plan.make(call.mask, {b, h, begin, end, 0, sizes.keys}, sizes.keys);
    const ForwardBlock<T> task{&call,
                               &context,
                               log_sum_exp,
                               {packed, packed + packed_sizes.keys},
                               &scratch.plan,
                               &scratch.strip,
                               scratch.template room<T>(packed_sizes.block),
                               b,
                               h,
                               begin,
                               end};
    if (!HWY_DYNAMIC_DISPATCH(BlockEntry)(task)) finite = false;
  };
  over_query_blocks<T>(sizes, packed_sizes, kQueryBlock, pack, block);
  return finite;
}

template bool attention_forward(const AttentionCall<Scalar>&, const Heads<Scalar>&,
                                Scalar*) noexcept;

}  // namespace heed::kernels
#endif  // HWY_ONCE
