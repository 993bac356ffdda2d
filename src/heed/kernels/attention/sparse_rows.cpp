// SPDX-License-Identifier: Apache-2.0
// Sparsemax and entmax along rows, with run-time dispatch.
//
// The maximum is taken first. Only scores near it can have a weight, so these are copied to a short
// list, and the threshold is searched there. In a long row each lane's maximum is kept as well: the
// threshold of those few true scores is at most the row's, which shortens the list from 1,442 to 72
// of 2,048 scores of deviation .5 (alpha 1.5). The pass that makes this list also writes the zeros;
// then only the list is turned into weights. Many short rows are computed side by side, one in each
// lane.
#include "heed/kernels/attention/sparse_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "heed/base/threads.h"
#include "heed/kernels/dispatch.h"
#include "heed/kernels/scratch.h"

#ifndef HEED_KERNELS_SPARSE_ROWS_CPP_
#define HEED_KERNELS_SPARSE_ROWS_CPP_
namespace heed::kernels {
namespace {

// From here on the lanes' maxima pay.
constexpr std::size_t kLongRow = 256;
constexpr std::size_t kLongestRow = std::size_t{1} << 31;  // places have 32 bits
// Rows up to this length collect their list on the stack, longer ones where their weights will go.
constexpr std::size_t kStackRow = 1024;
// Rows of these lengths are computed side by side when there are many.
constexpr std::size_t kFewestColumns = 4;
constexpr std::size_t kMostColumns = 64;
constexpr std::size_t kFewestSideBySide = 8;

template <typename T>
struct SparseRowsCall {
  double alpha;
  const T* x;
  T* y;
  std::size_t rows, columns;
  bool side_by_side = false;
};

}  // namespace
}  // namespace heed::kernels
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/attention/sparse_rows.cpp"
#include "heed/kernels/highway.h"
// After highway.h: compiled once per target.
#include "heed/kernels/attention/sparse_rows-inl.h"
#include "heed/kernels/attention/sparse_rows_long-inl.h"
#include "heed/kernels/attention/sparse_rows_short-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels {
namespace HWY_NAMESPACE {

template <typename T>
struct Threshold {
  T at;
  T sum;  // of the weights there: dividing by it takes away what rounding left
};

// Rises from `first`, which is at or below the threshold, to the threshold.
template <class Map, typename T>
HWY_INLINE Threshold<T> Rise(const Map& map, const T* list, std::size_t n, T first) {
  T at = first, fallback = first, count = -1, sum = 0;
  bool guessed = false;
  for (int step = 0; step < kMostSteps; ++step) {
    const Sums<T> sums = SumsAt(map, list, n, at);
    sum = sums.weights;
    if (guessed && sum < 1 - kNearOne<T>) {  // the support shrank under the exact step
      at = fallback;
      guessed = false;
      count = -1;
      continue;
    }
    if (!(sum > 1 + kNearOne<T>)) break;
    fallback = at + map.NewtonStep(sums);
    guessed = Map::kHasExactStep && sums.count == count;
    count = sums.count;
    const T next = guessed ? at + map.ExactStep(sums) : fallback;
    if (!(next > at)) break;
    at = next;
  }
  return {at, sum};
}

// Between two thresholds, for alpha > 2, where Newton may jump either way: it is followed while it
// stays inside, else the middle is taken.
template <class Map, typename T>
HWY_INLINE Threshold<T> Bracket(const Map& map, const T* list, std::size_t n, T low, T high) {
  T at = low, sum = 0;
  for (int step = 0; step < kMostSteps; ++step) {
    const Sums<T> sums = SumsAt(map, list, n, at);
    sum = sums.weights;
    if (std::abs(sum - 1) <= kNearOne<T>) break;
    (sum > 1 ? low : high) = at;
    T next = at + map.NewtonStep(sums);
    // Every third step halves, so that Newton cannot creep.
    if (!(next > low && next < high) || step % 3 == 2) next = low + (high - low) / 2;
    if (next == at || !(low < high)) break;
    at = next;
  }
  return {at, sum};
}

// Copies z = (x - maximum) * scale above `above` to `list`, which holds at least n items and may
// not overlap x; returns how many there are.
template <typename T>
HWY_INLINE std::size_t Collect(const T* x, std::size_t n, T maximum, T scale, T above, T* list) {
  const hn::ScalableTag<T> d;
  constexpr std::size_t kLanes = HWY_LANES(T);
  const auto top = hn::Set(d, maximum), factor = hn::Set(d, scale), limit = hn::Set(d, above);
  std::size_t count = 0;
  // Number by number, see ListCandidates.
  const auto append = [&](std::size_t begin, std::size_t end) HWY_ATTR {
    for (std::size_t k = begin; k < end; ++k) {
      const T z = (x[k] - maximum) * scale;
      list[count] = z;
      count += z > above;
    }
  };
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const auto z = hn::Mul(hn::Sub(hn::LoadU(d, x + i), top), factor);
    if (!hn::AllFalse(d, hn::Gt(z, limit))) append(i, i + kLanes);
  }
  append(i, n);
  return count;
}

// The largest of n >= 1 items.
template <typename T>
HWY_INLINE T Maximum(const T* x, std::size_t n) {
  const hn::ScalableTag<T> d;
  constexpr std::size_t kLanes = HWY_LANES(T);
  if (n < kLanes) return *std::max_element(x, x + n);
  auto best = hn::LoadU(d, x + n - kLanes);
  for (std::size_t i = 0; i + kLanes <= n; i += kLanes) best = hn::Max(best, hn::LoadU(d, x + i));
  return hn::GetLane(hn::MaxOfLanes(d, best));
}

template <class Map, typename T>
HWY_INLINE void WriteWeights(const Map& map, const T* x, T* y, std::size_t n, T maximum,
                             const Threshold<T>& threshold) {
  const hn::ScalableTag<T> d;
  const auto top = hn::Set(d, maximum), factor = hn::Set(d, map.scale());
  const auto t = hn::Set(d, threshold.at),
             share = hn::Set(d, threshold.sum == 0 ? T{0} : 1 / threshold.sum);
  Sweep(d, 0, n, [&](std::size_t i, auto lanes) HWY_ATTR {
    const auto z = hn::Mul(hn::Sub(lanes.load(d, x + i), top), factor);
    lanes.store(hn::Mul(map.Weight(d, z, t), share), d, y + i);
  });
}

// A row of n >= kLongRow scores. False, with y half written, when it is not sparse enough.
template <class Map, typename T>
HWY_INLINE bool LongRow(const Map& map, const T* x, T* y, std::size_t n, T maximum, T first) {
  const hn::ScalableTag<T> d;
  Candidates<T> list;
  if (!ListCandidates(x, y, n, maximum, map.scale(), first - map.reach(), list)) return false;
  const Threshold<T> threshold = Rise(map, list.z, list.count, first);
  const auto t = hn::Set(d, threshold.at), share = hn::Set(d, 1 / threshold.sum);
  Sweep(d, 0, list.count, [&](std::size_t i, auto lanes) HWY_ATTR {
    const auto weight = map.Weight(d, lanes.load(d, list.z + i), t);
    lanes.store(hn::Mul(weight, share), d, list.z + i);
  });
  for (std::size_t i = 0; i < list.count; ++i) y[list.places[i]] = list.z[i];
  return true;
}

template <class Map, typename T>
HWY_INLINE void SparseRow(const Map& map, bool bracketed, const T* x, T* y, std::size_t n) {
  T maximum, first = map.first();
  const bool is_long = n >= kLongRow && n <= kLongestRow && !bracketed;
  if (!is_long) {
    maximum = Maximum(x, n);
  } else {
    static_assert(kLongRow >= 8 * HWY_LANES(T));
    WholeVectors<T, 8 * HWY_LANES(T)> lane_maxima;
    std::size_t lanes;
    maximum = MaximumOfLanes(x, n, lane_maxima, &lanes);
    for (std::size_t i = 0; i < lanes; ++i) {
      lane_maxima[i] = std::max((lane_maxima[i] - maximum) * map.scale(), kFarBelow<T>);
    }
    first = Rise(map, lane_maxima, lanes, first).at;
  }
  if (maximum == -std::numeric_limits<T>::infinity()) {
    // A maximum may have passed over NaN.
    std::transform(x, x + n, y, [](T item) { return std::isnan(item) ? item : T{0}; });
    return;
  }
  if (is_long && LongRow(map, x, y, n, maximum, first)) return;
  WholeVectors<T, kStackRow> stack;
  T* const list = n <= kStackRow ? stack : y;
  const std::size_t count = Collect(x, n, maximum, map.scale(), first - map.reach(), list);
  Threshold<T> threshold;
  if (bracketed) {
    // n equal scores need the largest threshold: 1 + e (0 - t) = n^-e.
    const T e = 1 / map.reach();
    const T highest = (1 - std::pow(static_cast<T>(n), -e)) / e;
    threshold = Bracket(map, list, count, T{0}, highest);
  } else {
    threshold = Rise(map, list, count, first);
  }
  WriteWeights(map, x, y, n, maximum, threshold);
}

template <class Map, typename T>
HWY_INLINE void MapRows(const Map& map, const SparseRowsCall<T>& call) {
#if HWY_TARGET != HWY_SCALAR
  if constexpr (std::is_same_v<T, float>) {
    if (call.side_by_side) {
      ShortRows(map, call.x, call.y, call.rows, call.columns);
      return;
    }
  }
#endif
  for (std::size_t r = 0; r < call.rows; ++r) {
    const std::size_t at = r * call.columns;
    SparseRow(map, call.alpha > 2, call.x + at, call.y + at, call.columns);
  }
}
template <typename T>
HWY_INLINE void RunSparseRows(const SparseRowsCall<T>& call) {
  if (call.alpha == 2) {
    MapRows(LinearMap<T>{}, call);
  } else if (call.alpha == 1.5) {
    MapRows(SquareMap<T>{}, call);
  } else {
    MapRows(PowerMap<T>{static_cast<T>(call.alpha - 1)}, call);
  }
}
void SparseRowsEntry(const SparseRowsCall<Scalar>& call) {
  RunSparseRows(call);
}
namespace {
void WideSparseRowsEntry(const SparseRowsCall<double>& call) {
  RunSparseRows(call);
}
}  // namespace

}  // namespace HWY_NAMESPACE
}  // namespace heed::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {

HWY_EXPORT(SparseRowsEntry);
HWY_EXPORT(WideSparseRowsEntry);

namespace {

// Above alpha = 2 a small weight has an infinite slope: rounding the threshold to a float moved a
// weight of .002 to .004 at alpha 4. So these rows are computed in double, or in float when there
// is no memory.
template <typename T>
bool entmax_in_double(double alpha, const T* x, T* y, std::size_t rows,
                      std::size_t columns) noexcept {
  thread_local Scratch scratch;
  auto* const wide_x = static_cast<double*>(scratch.reserve(2 * columns * sizeof(double)));
  if (wide_x == nullptr) return false;
  double* const wide_y = wide_x + columns;
  for (std::size_t r = 0; r < rows; ++r) {
    std::copy_n(x + r * columns, columns, wide_x);
    HWY_DYNAMIC_DISPATCH(WideSparseRowsEntry)
    ({.alpha = alpha, .x = wide_x, .y = wide_y, .rows = 1, .columns = columns});
    std::copy_n(wide_y, columns, y + r * columns);
  }
  return true;
}

}  // namespace

template <typename T>
void entmax(double alpha, const T* x, T* y, std::size_t rows, std::size_t columns) noexcept {
  if (columns == 0) return;
  const auto run = HWY_DYNAMIC_DISPATCH(SparseRowsEntry);
  const std::size_t grain = kElementwiseGrain / 8 / columns + 1;
  // Decided by the whole call, so that the division among threads does not change a bit.
  const bool side_by_side = std::is_same_v<T, float> && alpha <= 2 && rows >= kFewestSideBySide &&
                            columns >= kFewestColumns && columns <= kMostColumns;
  parallel_for(rows, grain, [=](std::size_t begin, std::size_t end) {
    const std::size_t at = begin * columns;
    if constexpr (std::is_same_v<T, float>) {
      if (alpha > 2 && entmax_in_double(alpha, x + at, y + at, end - begin, columns)) return;
    }
    run({.alpha = alpha,
         .x = x + at,
         .y = y + at,
         .rows = end - begin,
         .columns = columns,
         .side_by_side = side_by_side});
  });
}
template <typename T>
void sparsemax(const T* x, T* y, std::size_t rows, std::size_t columns) noexcept {
  entmax(2, x, y, rows, columns);
}

template void sparsemax(const Scalar*, Scalar*, std::size_t, std::size_t) noexcept;
template void entmax(double, const Scalar*, Scalar*, std::size_t, std::size_t) noexcept;

}  // namespace heed::kernels
#endif  // HWY_ONCE
