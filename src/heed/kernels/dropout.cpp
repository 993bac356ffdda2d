// SPDX-License-Identifier: Apache-2.0
// Dropout: random words by the hundred into the first cache, then one multiply and select per
// element.
#include "heed/kernels/dropout.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "heed/base/random.h"
#include "heed/base/threads.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/dropout.cpp"
#include "heed/kernels/highway.h"
// After highway.h, which sets the target that this header is compiled for.
#include "heed/kernels/lanes-inl.h"

#ifndef HEED_KERNELS_DROPOUT_TYPES_
#define HEED_KERNELS_DROPOUT_TYPES_
namespace heed::kernels {
namespace {

// `rows` rows of `columns` elements, `stride` apart, under one mask whose elements begin at
// `first`.
template <typename T>
struct MaskedRows {
  const T* x;
  T* y;
  std::size_t rows;
  std::size_t columns;
  std::size_t stride;
  std::uint64_t first;
  std::uint32_t threshold;
  T scale;
};

}  // namespace
}  // namespace heed::kernels
#endif  // HEED_KERNELS_DROPOUT_TYPES_

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {
namespace {

// Words held at a time: 4 KiB of the first cache, and a multiple of what philox_words writes at
// once on any target (64).
constexpr std::size_t kWords = 1024;
constexpr std::size_t kWordsAtOnce = 64;

#if HWY_TARGET == HWY_SCALAR

// Words 4 * block to 4 * block + count - 1 of the stream.
HWY_INLINE void philox_words(const DropoutOptions& options, std::uint64_t block, std::size_t count,
                             std::uint32_t* words) {
  for (std::size_t i = 0; i < count; i += 4) {
    const PhiloxBlock four = philox(options.seed, options.stream, block + i / 4);
    std::copy(four.begin(), four.end(), words + i);
  }
}

#else

// Ten rounds of Philox4x32 on one block per lane. A 64-bit lane carries one word in its low half;
// the high half is left as it comes, for the 32 x 32 -> 64 multiply does not read it and the
// exclusive or keeps the halves apart.
template <class D, class V>
HWY_INLINE void philox_rounds(D d, std::uint64_t seed, V& c0, V& c1, V& c2, V& c3) {
  const hn::Repartition<std::uint32_t, D> d32;
  const auto multiply0 = hn::Set(d32, 0xD2511F53u);
  const auto multiply1 = hn::Set(d32, 0xCD9E8D57u);
  auto key0 = static_cast<std::uint32_t>(seed);
  auto key1 = static_cast<std::uint32_t>(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    const V product0 = hn::MulEven(hn::BitCast(d32, c0), multiply0);
    const V product1 = hn::MulEven(hn::BitCast(d32, c2), multiply1);
    c0 = hn::Xor(hn::ShiftRight<32>(product1), hn::Xor(c1, hn::Set(d, std::uint64_t{key0})));
    c1 = product1;
    c2 = hn::Xor(hn::ShiftRight<32>(product0), hn::Xor(c3, hn::Set(d, std::uint64_t{key1})));
    c3 = product0;
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
}

// Writes four words per lane. Lanes 0, 2, 4... hold the first half of the blocks and lanes 1, 3,
// 5... the second, so that interleaving within 128 bits leaves every word in its place.
template <class D, class V>
HWY_INLINE void store_words(D d, V c0, V c1, V c2, V c3, std::uint32_t* words) {
  const hn::Repartition<std::uint32_t, D> d32;
  const V low = hn::Set(d, std::uint64_t{0xFFFFFFFF});
  const V pair01 = hn::Or(hn::And(c0, low), hn::ShiftLeft<32>(c1));
  const V pair23 = hn::Or(hn::And(c2, low), hn::ShiftLeft<32>(c3));
  hn::StoreU(hn::BitCast(d32, hn::InterleaveLower(d, pair01, pair23)), d32, words);
  hn::StoreU(hn::BitCast(d32, hn::InterleaveUpper(d, pair01, pair23)), d32, words + hn::Lanes(d32));
}

// Words 4 * block to 4 * block + count - 1 of the stream, count rounded up to kWordsAtOnce.
HWY_INLINE void philox_words(const DropoutOptions& options, std::uint64_t block, std::size_t count,
                             std::uint32_t* words) {
  const hn::ScalableTag<std::uint64_t> d;
  const std::size_t lanes = hn::Lanes(d);
  HWY_ALIGN std::uint64_t order[HWY_LANES(std::uint64_t)];
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    order[lane] = lane % 2 * (lanes / 2) + lane / 2;
  }
  const auto offsets = hn::Load(d, order);
  const auto stream_low = hn::Set(d, options.stream);
  const auto stream_high = hn::Set(d, options.stream >> 32);
  // Two groups of lanes at a time: the multiplies of one fill the waits of the other.
  for (std::size_t i = 0; i < count; i += 8 * lanes, block += 2 * lanes) {
    auto a0 = hn::Add(hn::Set(d, block), offsets);
    auto b0 = hn::Add(hn::Set(d, block + lanes), offsets);
    auto a1 = hn::ShiftRight<32>(a0);
    auto b1 = hn::ShiftRight<32>(b0);
    auto a2 = stream_low, a3 = stream_high, b2 = stream_low, b3 = stream_high;
    philox_rounds(d, options.seed, a0, a1, a2, a3);
    philox_rounds(d, options.seed, b0, b1, b2, b3);
    store_words(d, a0, a1, a2, a3, words + i);
    store_words(d, b0, b1, b2, b3, words + i + 4 * lanes);
  }
}

#endif

// Where the word of a lane is below the threshold, so that the element is dropped.
template <class D>
HWY_INLINE hn::Mask<D> dropped(D d, const std::uint32_t* words, std::uint32_t threshold) {
  const hn::RebindToUnsigned<D> du;
  const hn::Rebind<std::uint32_t, D> d32;
  const auto word = hn::LoadU(d32, words);
  if constexpr (sizeof(hn::TFromD<D>) == sizeof(std::uint32_t)) {
    return hn::RebindMask(d, hn::Lt(word, hn::Set(du, threshold)));
  } else {
    return hn::RebindMask(d, hn::Lt(hn::PromoteTo(du, word), hn::Set(du, threshold)));
  }
}

template <typename T>
HWY_INLINE void masked_rows(const MaskedRows<T>& part, const DropoutOptions& options) {
  const hn::ScalableTag<T> d;
  const auto scale = hn::Set(d, part.scale);
  // The vector at the end of a row may read words that belong to no element.
  HWY_ALIGN std::uint32_t buffer[kWords + kWordsAtOnce] = {};
  for (std::size_t begin = 0; begin < part.columns;) {
    const std::uint64_t element = part.first + begin;
    const std::size_t skipped = element % 4;
    const std::size_t count = std::min(part.columns - begin, kWords - skipped);
    philox_words(options, element / 4, skipped + count, buffer);
    const std::uint32_t* const words = buffer + skipped;
    for (std::size_t row = 0; row < part.rows; ++row) {
      const T* const x = part.x + row * part.stride + begin;
      T* const y = part.y + row * part.stride + begin;
      sweep(d, 0, count, [=](std::size_t i, auto lanes) HWY_ATTR {
        const auto kept = hn::Mul(lanes.load(d, x + i), scale);
        lanes.store(hn::IfThenZeroElse(dropped(d, words + i, part.threshold), kept), d, y + i);
      });
    }
    begin += count;
  }
}

void masked_rows_float(const MaskedRows<float>& part, const DropoutOptions& options) {
  masked_rows(part, options);
}
void masked_rows_double(const MaskedRows<double>& part, const DropoutOptions& options) {
  masked_rows(part, options);
}

}  // namespace
}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {
namespace {

HWY_EXPORT(masked_rows_float);
HWY_EXPORT(masked_rows_double);

// Elements below which a second thread does not pay.
constexpr std::size_t kGrain = 16384;

template <typename T>
void dispatch(const MaskedRows<T>& part, const DropoutOptions& options) {
  if constexpr (std::is_same_v<T, float>) {
    HWY_DYNAMIC_DISPATCH(masked_rows_float)(part, options);
  } else {
    HWY_DYNAMIC_DISPATCH(masked_rows_double)(part, options);
  }
}

// True when probability 0 or 1 leaves nothing to draw; y is then written.
template <typename T>
bool is_trivial(const T* x, T* y, std::size_t n, double probability) {
  if (probability >= 1) {
    std::fill_n(y, n, T{0});
  } else if (probability <= 0) {
    if (y != x && n > 0) std::memcpy(y, x, n * sizeof(T));
  } else {
    return false;
  }
  return true;
}

}  // namespace

template <typename T>
void dropout(const T* x, T* y, std::size_t n, const DropoutOptions& options) noexcept {
  if (is_trivial(x, y, n, options.probability)) return;
  const auto threshold = static_cast<std::uint32_t>(options.probability * 0x1p32);
  const T scale = static_cast<T>(1 / (1 - options.probability));
  parallel_for(n, kGrain, [&](std::size_t begin, std::size_t end) {
    dispatch<T>({.x = x + begin,
                 .y = y + begin,
                 .rows = 1,
                 .columns = end - begin,
                 .stride = 0,
                 .first = options.first + begin,
                 .threshold = threshold,
                 .scale = scale},
                options);
  });
}

template <typename T>
void locked_dropout(const T* x, T* y, const LockedShape& shape,
                    const DropoutOptions& options) noexcept {
  const std::size_t slice = shape.steps * shape.inner;
  if (is_trivial(x, y, shape.outer * slice, options.probability)) return;
  const auto threshold = static_cast<std::uint32_t>(options.probability * 0x1p32);
  const T scale = static_cast<T>(1 / (1 - options.probability));
  const std::size_t grain = kGrain / std::max<std::size_t>(1, slice) + 1;
  parallel_for(shape.outer, grain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t outer = begin; outer < end; ++outer) {
      dispatch<T>({.x = x + outer * slice,
                   .y = y + outer * slice,
                   .rows = shape.steps,
                   .columns = shape.inner,
                   .stride = shape.inner,
                   .first = options.first + outer * shape.inner,
                   .threshold = threshold,
                   .scale = scale},
                  options);
    }
  });
}

template void dropout(const float*, float*, std::size_t, const DropoutOptions&) noexcept;
template void dropout(const double*, double*, std::size_t, const DropoutOptions&) noexcept;
template void locked_dropout(const float*, float*, const LockedShape&,
                             const DropoutOptions&) noexcept;
template void locked_dropout(const double*, double*, const LockedShape&,
                             const DropoutOptions&) noexcept;

}  // namespace heed::kernels
#endif  // HWY_ONCE
