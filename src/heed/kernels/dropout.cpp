// SPDX-License-Identifier: Apache-2.0
// Dropout: random words by the hundred into the first cache, then one multiply and select per
// element.
#include "heed/kernels/dropout.h"

#include <algorithm>
#include <cstring>

#include "heed/base/random.h"
#include "heed/base/threads.h"
#include "heed/kernels/dispatch.h"

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

// Words held at a time, multiples of what Words draws at once on any target. Under many rows long
// runs suit the memory (locked dropout: .97 of the stream rate, .52 with 256); for one row short
// turns of drawing and using overlap better (.46, .35 with 1024).
constexpr std::size_t kWords = 1024;
constexpr std::size_t kWordsOfOneRow = 128;
constexpr std::size_t kWordsAtOnce = 64;

#if HWY_TARGET == HWY_SCALAR

// Words of one stream.
class Words {
 public:
  explicit Words(const DropoutOptions& options) : seed_(options.seed), stream_(options.stream) {}

  // Words 4 * block to 4 * block + count - 1.
  HWY_INLINE void draw(std::uint64_t block, std::size_t count, std::uint32_t* words) const {
    for (std::size_t i = 0; i < count; i += 4) {
      const PhiloxBlock four = philox(seed_, stream_, block + i / 4);
      std::copy(four.begin(), four.end(), words + i);
    }
  }

 private:
  std::uint64_t seed_;
  std::uint64_t stream_;
};

#else

// Words of one stream, one block of four per 64-bit lane.
class Words {
 public:
  explicit Words(const DropoutOptions& options) : stream_(options.stream) {
    auto low = static_cast<std::uint32_t>(options.seed);
    auto high = static_cast<std::uint32_t>(options.seed >> 32);
    for (auto& key : keys_) {
      std::fill_n(key[0], kLanes, std::uint64_t{low});
      std::fill_n(key[1], kLanes, std::uint64_t{high});
      low += 0x9E3779B9u;
      high += 0xBB67AE85u;
    }
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      order_[lane] = lane % 2 * (kLanes / 2) + lane / 2;
    }
  }

  // Words 4 * block to 4 * block + count - 1, count rounded up to kWordsAtOnce. Two groups of lanes
  // at a time: the multiplies of one fill the waits of the other.
  HWY_INLINE void draw(std::uint64_t block, std::size_t count, std::uint32_t* words) const {
    for (std::size_t i = 0; i < count; i += 8 * kLanes, block += 2 * kLanes) {
      V a[4], b[4];
      start(block, a);
      start(block + kLanes, b);
      for (const auto& key : keys_) {
        round(key, a);
        round(key, b);
      }
      store(a, words + i);
      store(b, words + i + 4 * kLanes);
    }
  }

 private:
  static constexpr std::size_t kLanes = HWY_LANES(std::uint64_t);
  static_assert(kWordsAtOnce % (8 * kLanes) == 0);
  using D = hn::CappedTag<std::uint64_t, kLanes>;
  using V = hn::Vec<D>;
  using D32 = hn::Repartition<std::uint32_t, D>;

  HWY_INLINE void start(std::uint64_t block, V (&counter)[4]) const {
    const D d;
    counter[0] = hn::Add(hn::Set(d, block), hn::Load(d, order_));
    counter[1] = hn::ShiftRight<32>(counter[0]);
    counter[2] = hn::Set(d, stream_);
    counter[3] = hn::Set(d, stream_ >> 32);
  }

  // A lane carries one word in its low half; the high half is left as it comes, for the
  // 32 x 32 -> 64 multiply does not read it and the exclusive or keeps the halves apart.
  static HWY_INLINE void round(const std::uint64_t (&key)[2][kLanes], V (&counter)[4]) {
    const D d;
    const D32 d32;
    const V product0 = hn::MulEven(hn::BitCast(d32, counter[0]), hn::Set(d32, 0xD2511F53u));
    const V product1 = hn::MulEven(hn::BitCast(d32, counter[2]), hn::Set(d32, 0xCD9E8D57u));
    counter[0] = hn::Xor3(hn::ShiftRight<32>(product1), counter[1], hn::Load(d, key[0]));
    counter[1] = product1;
    counter[2] = hn::Xor3(hn::ShiftRight<32>(product0), counter[3], hn::Load(d, key[1]));
    counter[3] = product0;
  }

  // Lanes 0, 2, 4... hold the first half of the blocks and lanes 1, 3, 5... the second, so that
  // interleaving within 128 bits leaves every word in its place.
  static HWY_INLINE void store(const V (&counter)[4], std::uint32_t* words) {
    const D d;
    const D32 d32;
    const V low = hn::Set(d, std::uint64_t{0xFFFFFFFF});
    const V pair01 = hn::Or(hn::And(counter[0], low), hn::ShiftLeft<32>(counter[1]));
    const V pair23 = hn::Or(hn::And(counter[2], low), hn::ShiftLeft<32>(counter[3]));
    hn::StoreU(hn::BitCast(d32, hn::InterleaveLower(d, pair01, pair23)), d32, words);
    hn::StoreU(hn::BitCast(d32, hn::InterleaveUpper(d, pair01, pair23)), d32, words + 2 * kLanes);
  }

  HWY_ALIGN WholeVectors<std::uint64_t, kLanes> keys_[10][2];
  HWY_ALIGN WholeVectors<std::uint64_t, kLanes> order_;
  std::uint64_t stream_;
};

#endif

// Where the word of a lane is below the threshold, so that the element is dropped.
template <class D>
HWY_INLINE hn::Mask<D> Dropped(D d, const std::uint32_t* words, std::uint32_t threshold) {
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
HWY_INLINE void DropRows(const MaskedRows<T>& part, const DropoutOptions& options) {
  const hn::ScalableTag<T> d;
  const auto scale = hn::Set(d, part.scale);
  const Words generator(options);
  // The vector at the end of a row may read words that belong to no element.
  HWY_ALIGN WholeVectors<std::uint32_t, kWords + kWordsAtOnce> buffer = {};
  const std::size_t most = part.rows == 1 ? kWordsOfOneRow : kWords;
  for (std::size_t begin = 0; begin < part.columns;) {
    const std::uint64_t element = part.first + begin;
    const std::size_t skipped = element % 4;
    const std::size_t count = std::min(part.columns - begin, most - skipped);
    generator.draw(element / 4, skipped + count, buffer);
    const std::uint32_t* const words = buffer + skipped;
    for (std::size_t row = 0; row < part.rows; ++row) {
      const T* const x = part.x + row * part.stride + begin;
      T* const y = part.y + row * part.stride + begin;
      Sweep(d, 0, count, [=](std::size_t i, auto lanes) HWY_ATTR {
        const auto kept = hn::Mul(lanes.load(d, x + i), scale);
        lanes.store(hn::IfThenZeroElse(Dropped(d, words + i, part.threshold), kept), d, y + i);
      });
    }
    begin += count;
  }
}

void MaskedRowsEntry(const MaskedRows<Scalar>& part, const DropoutOptions& options) {
  DropRows(part, options);
}

}  // namespace
}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {
namespace {

HWY_EXPORT(MaskedRowsEntry);

template <typename T>
void dispatch(const MaskedRows<T>& part, const DropoutOptions& options) {
  HWY_DYNAMIC_DISPATCH(MaskedRowsEntry)(part, options);
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
  parallel_for(n, kElementwiseGrain, [&](std::size_t begin, std::size_t end) {
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
  const std::size_t grain = kElementwiseGrain / std::max<std::size_t>(1, slice) + 1;
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

template void dropout(const Scalar*, Scalar*, std::size_t, const DropoutOptions&) noexcept;
template void locked_dropout(const Scalar*, Scalar*, const LockedShape&,
                             const DropoutOptions&) noexcept;

}  // namespace heed::kernels
#endif  // HWY_ONCE
