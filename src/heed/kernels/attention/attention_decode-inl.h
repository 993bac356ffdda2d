// SPDX-License-Identifier: Apache-2.0
// The two products of a few queries with a memory as it lies: queries by keys, weights by values;
// included once per CPU target (see highway.h).
#if defined(HEED_KERNELS_ATTENTION_DECODE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_KERNELS_ATTENTION_DECODE_INL_H_
#undef HEED_KERNELS_ATTENTION_DECODE_INL_H_
#else
#define HEED_KERNELS_ATTENTION_DECODE_INL_H_
#endif

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "heed/kernels/attention/attention_decode_slice.h"
#include "heed/kernels/attention/attention_tiles-inl.h"
#include "heed/kernels/in_register-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t kChunk = kDecodeChunk;
// Rows of one product.
constexpr std::size_t kMostRows = 4;
// Keys of one product: with 12 sums and what they are made of 16 registers are full, and two
// multipliers of latency 4 want 8. (4 rows by 2 keys: 68 GFLOP/s, by 3: 82.) A single row waits for
// memory, not for its sums: 8 keys took 5% longer than 4.
template <std::size_t kR>
constexpr std::size_t kKeys = kR == 4 && kVectors == 2 ? 3 : 4;
// Vectors of values of one product: few rows read all of a value of width 64 at once.
template <std::size_t kR>
constexpr std::size_t kValueVectors = kVectors*(kR == 1   ? 4
                                                : kR == 2 ? 2
                                                          : 1);

// Rows of keys or values.
template <typename T>
struct MemoryRows {
  const T* data;
  std::size_t stride;
  std::size_t width;
};

#if HWY_TARGET != HWY_SCALAR
// The sum of the 16-byte blocks of v.
template <class D, class V>
HWY_INLINE auto SumOfBlocks(D d, V v) {
  if constexpr (hn::MaxLanes(d) * sizeof(hn::TFromD<D>) > 16) {
    const hn::Half<D> half;
    return SumOfBlocks(half, hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v)));
  } else {
    return v;
  }
}
#endif

// to[i] = the sum of the lanes of v[i], for kSquare vectors at once.
template <class D, class V>
HWY_INLINE void StoreSums([[maybe_unused]] D d, const V* v, hn::TFromD<D>* to) {
#if HWY_TARGET == HWY_SCALAR
  *to = hn::GetLane(v[0]);
#else
  using T = hn::TFromD<D>;
  const hn::FixedTag<T, kSquare<T> > block;
  const auto pair = [&](V a, V b) HWY_ATTR {
    return hn::Add(hn::InterleaveLower(d, a, b), hn::InterleaveUpper(d, a, b));
  };
  if constexpr (kSquare<T> == 2) {
    hn::StoreU(SumOfBlocks(d, pair(v[0], v[1])), block, to);
  } else {
    const hn::Repartition<double, D> wide;
    const auto ab = hn::BitCast(wide, pair(v[0], v[1]));
    const auto cd = hn::BitCast(wide, pair(v[2], v[3]));
    const V lower = hn::BitCast(d, hn::InterleaveLower(wide, ab, cd));
    const V upper = hn::BitCast(d, hn::InterleaveUpper(wide, ab, cd));
    hn::StoreU(SumOfBlocks(d, hn::Add(lower, upper)), block, to);
  }
#endif
}

// scores [kR, kChunk] = query [kR, width] . keys; columns up to a multiple of kKeys are written.
// Meanwhile three rows and more ask for the rows that are `wanted` next, a piece with each step:
// asking for whole rows at once took 10% longer. One or two rows wait for their own keys: asking
// for more took one row 40% longer, two up to 20%.
template <typename T, std::size_t kR>
HWY_NOINLINE void DotRows(std::size_t keys, const MemoryRows<T>& rows, const MemoryRows<T>& wanted,
                          const T* HWY_RESTRICT query, std::size_t query_stride,
                          T* HWY_RESTRICT scores) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  constexpr std::size_t kL = LaneCount<T>();
  constexpr std::size_t kC = kKeys<kR>;
  // Four rows of a key lie side by side first: they are summed up together.
  constexpr bool kTurned = kR == 4;
  constexpr bool kAsks = kR > 2;
  HWY_ALIGN WholeVectors<T, kTurned ? (kChunk + kC) * kR : 1> turned;
  for (std::size_t key = 0; key < keys; key += kC) {
    const T* HWY_RESTRICT k[kC];
    [[maybe_unused]] const T* next[kC];
    for (std::size_t c = 0; c < kC; ++c) {
      const std::size_t row = std::min(key + c, keys - 1);
      k[c] = rows.data + row * rows.stride;
      next[c] = wanted.data + row * wanted.stride;
    }
    V sums[kR][kC];
    for (std::size_t r = 0; r < kR; ++r) {
      for (std::size_t c = 0; c < kC; ++c) sums[r][c] = hn::Zero(d);
    }
    const auto step = [&](std::size_t i, auto lanes) HWY_ATTR {
      if constexpr (kAsks) {
        for (std::size_t c = 0; c < kC; ++c) hwy::Prefetch(next[c] + i);
      }
      V x[kC];
      for (std::size_t c = 0; c < kC; ++c) x[c] = InRegister(lanes.load(d, k[c] + i));
      for (std::size_t r = 0; r < kR; ++r) {
        const V q = InRegister(hn::LoadU(d, query + r * query_stride + i));
        for (std::size_t c = 0; c < kC; ++c) sums[r][c] = hn::MulAdd(q, x[c], sums[r][c]);
      }
    };
    std::size_t i = 0;
    for (; i + kL <= rows.width; i += kL) step(i, WholeVector{});
    if (i < rows.width) step(i, Tail{rows.width - i});
    if constexpr (kTurned) {
      for (std::size_t c = 0; c < kC; ++c) {
        const V column[kR] = {sums[0][c], sums[1][c], sums[2][c], sums[3][c]};
        for (std::size_t r = 0; r < kR; r += kSquare<T>) {
          StoreSums(d, column + r, turned + (key + c) * kR + r);
        }
      }
    } else {
      for (std::size_t r = 0; r < kR; ++r) {
        for (std::size_t c = 0; c < kC; c += kSquare<T>) {
          StoreSums(d, sums[r] + c, scores + r * kChunk + key + c);
        }
      }
    }
  }
  if constexpr (kTurned) {
    for (std::size_t key = 0; key < keys; key += kSquare<T>) {
      for (std::size_t r = 0; r < kR; r += kSquare<T>) {
        TransposeSquare(turned + key * kR + r, kR, scores + r * kChunk + key, kChunk);
      }
    }
  }
}

// context [kR, kV vectors] = keep context + weights [kR, keys] values. The last vector of a row may
// be a tail.
template <typename T, std::size_t kR, std::size_t kV, class Lanes>
HWY_NOINLINE void AddValues(std::size_t keys, const MemoryRows<T>& rows,
                            const T* HWY_RESTRICT weights, const T* HWY_RESTRICT keep,
                            T* HWY_RESTRICT context, std::size_t context_stride, Lanes lanes) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  constexpr std::size_t kL = LaneCount<T>();
  V sums[kR][kV];
  for (std::size_t r = 0; r < kR; ++r) {
    const V factor = hn::Set(d, keep[r]);
    for (std::size_t v = 0; v < kV; ++v) {
      sums[r][v] = hn::Mul(factor, hn::LoadU(d, context + r * context_stride + v * kL));
    }
  }
  const T* HWY_RESTRICT x = rows.data;
  for (std::size_t key = 0; key < keys; ++key) {
    V value[kV];
    for (std::size_t v = 0; v < kV; ++v) {
      value[v] = InRegister(lanes.load(d, x + v * kL));
    }
    x += rows.stride;
    for (std::size_t r = 0; r < kR; ++r) {
      const V weight = hn::Set(d, weights[r * kChunk + key]);
      for (std::size_t v = 0; v < kV; ++v) sums[r][v] = hn::MulAdd(weight, value[v], sums[r][v]);
    }
  }
  for (std::size_t r = 0; r < kR; ++r) {
    for (std::size_t v = 0; v < kV; ++v) {
      hn::StoreU(sums[r][v], d, context + r * context_stride + v * kL);
    }
  }
}

// Calls run(constant) with n in 1 .. kMost as a compile-time constant.
template <std::size_t kMost, class Run>
HWY_INLINE void WithConstant(std::size_t n, const Run& run) {
  if constexpr (kMost > 1) {
    if (n < kMost) return WithConstant<kMost - 1>(n, run);
  }
  run(std::integral_constant<std::size_t, kMost>{});
}

// Calls run(first, constant count) over rows spread evenly, at most kMost at a time.
template <std::size_t kMost, class Run>
HWY_INLINE void OverRows(std::size_t rows, const Run& run) {
  const std::size_t strips = (rows + kMost - 1) / kMost;
  for (std::size_t s = 0; s < strips; ++s) {
    const std::size_t first = StripBegin(rows, strips, s);
    WithConstant<kMost>(StripBegin(rows, strips, s + 1) - first,
                        [&](auto count) HWY_ATTR { run(first, count); });
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace heed::kernels
HWY_AFTER_NAMESPACE();

#endif  // HEED_KERNELS_ATTENTION_DECODE_INL_H_
