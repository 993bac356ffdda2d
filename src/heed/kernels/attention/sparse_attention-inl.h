// SPDX-License-Identifier: Apache-2.0
// From queries and packed keys to the support of a band of rows; included once per CPU target.
//
// Only scores above maximum - w^(alpha-1) / (alpha-1) have a weight, w being the largest weight of
// the row. The largest scores of 64 lanes are true scores of the row, and fewer competitors make w
// larger: solved for themselves they give a safe limit. It leaves 72 of 2,048 scores of deviation
// .5 for 62 keys of support (alpha 1.5), so that the exact solve has little to do.
#if defined(HEED_KERNELS_SPARSE_ATTENTION_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_KERNELS_SPARSE_ATTENTION_INL_H_
#undef HEED_KERNELS_SPARSE_ATTENTION_INL_H_
#else
#define HEED_KERNELS_SPARSE_ATTENTION_INL_H_
#endif

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

#include "heed/kernels/attention/attention_tiles-inl.h"
#include "heed/kernels/attention/sparse_attention_band.h"
#include "heed/kernels/attention/sparse_rows.h"
#include "heed/kernels/softmax.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels {
namespace HWY_NAMESPACE {

// Keys whose panels stay in cache while the strips of a band pass.
constexpr std::size_t kBandKeys = 256;

// Vectors of lane maxima: 64 lanes, fewer on narrow targets.
template <typename T>
constexpr std::size_t kMaxima = LaneCount<T>() >= 16 ? 4 : 8;
template <typename T>
constexpr std::size_t kMaximaLanes = kMaxima<T>* LaneCount<T>();
static_assert(kMaximaLanes<float> <= kListColumns && kMaximaLanes<double> <= kListColumns);
// The tiles that write a row of scores end at a multiple of kMaskKeys, and a row extends to there.
static_assert(kMaskKeys % kColumns<float> == 0 && kMaskKeys % kColumns<double> == 0);

template <typename T>
T Infinity() {
  return std::numeric_limits<T>::infinity();
}

// Packs the keys [begin, end) of one key head; begin is a multiple of kColumns.
template <typename T>
void PackKeys(const AttentionCall<T>& call, std::size_t batch, std::size_t key_head,
              std::size_t begin, std::size_t end, T* packed) {
  const std::size_t width = call.sizes.width;
  for (std::size_t key = begin; key < end; key += kColumns<T>) {
    PackPanel<T>(width, std::min(kColumns<T>, end - key),
                 {call.keys.row(batch, key_head, key), true, call.keys.row_stride},
                 packed + key * width);
  }
}

// Rows [begin, end) of one key head as whole vectors: where they lie when their width allows it,
// else copied to `room`, which begins with row 0.
template <typename T>
MatrixRows<const T> WholeRows(const Heads<const T>& from, std::size_t width, std::size_t batch,
                              std::size_t key_head, T* room) {
  const std::size_t whole = RoundUp(width, LaneCount<T>());
  if (whole == width) return {from.row(batch, key_head, 0), from.row_stride};
  return {room, whole};
}
template <typename T>
void CopyWholeRows(const Heads<const T>& from, std::size_t width, std::size_t batch,
                   std::size_t key_head, std::size_t begin, std::size_t end, T* room) {
  const std::size_t whole = RoundUp(width, LaneCount<T>());
  if (whole == width || begin == end) return;
  CopyRows<T>(end - begin, width, from.row(batch, key_head, begin), from.row_stride, T{1},
              room + begin * whole, whole);
}

// A strip: rows [first, first + rows) of a band.
struct BandStrip {
  std::size_t first, rows;
};
template <typename T>
BandStrip StripOf(const SparseBand<T>& band, std::size_t s) {
  const std::size_t strips = band.strips->size();
  const std::size_t first = StripBegin(band.rows, strips, s);
  return {first, StripBegin(band.rows, strips, s + 1) - first};
}

// Calls body(s, begin, end) for the panels [begin, end) of each strip s, `panels` of them before
// the next: what is read of these keys stays in cache while the strips pass.
template <typename T, class Body>
HWY_INLINE void OverPanels(const SparseBand<T>& band, std::size_t panels, const Body& body) {
  const std::size_t count = (band.call->sizes.keys + kColumns<T> - 1) / kColumns<T>;
  std::size_t next[kMostBandRows] = {};  // of the spans of each strip
  for (std::size_t begin = 0; begin < count; begin += panels) {
    const std::size_t end = begin + panels;
    for (std::size_t s = 0; s < band.strips->size(); ++s) {
      const auto& spans = (*band.strips)[s].spans;
      for (; next[s] < spans.size() && spans[next[s]].begin < end; ++next[s]) {
        const PanelSpan& span = spans[next[s]];
        body(s, std::max(span.begin, begin), std::min(span.end, end));
        if (span.end > end) break;
      }
    }
  }
}

template <typename T>
HWY_INLINE void BandScores(const SparseBand<T>& band) {
  const std::size_t width = band.call->sizes.width;
  CopyRows<T>(band.rows, width,
              band.call->query.row(band.batch, band.head, band.first_query + band.first_row),
              band.call->query.row_stride, band.call->scale, band.query, width);
  OverPanels(band, kBandKeys / kColumns<T>, [&](std::size_t s, std::size_t begin, std::size_t end) {
    const BandStrip strip = StripOf(band, s);
    const Product<T> tile = ProductOf<T, Left::rows>(strip.rows, kVectors);
    for (std::size_t key = begin * kColumns<T>; key < end * kColumns<T>; key += kColumns<T>) {
      tile(width, band.query + strip.first * width, width, band.packed_keys + key * width,
           kColumns<T>,
           {band.scores + strip.first * band.stride + key, band.stride, nullptr, T{1}});
    }
  });
}

// Changes the scores of a strip, and hides what its rows may not see behind -infinity.
template <typename T>
HWY_INLINE void ChangeAndHide(const SparseBand<T>& band, const BandStrip& strip,
                              const StripPlan& plan) {
  const hn::ScalableTag<T> d;
  T* const scores = band.scores + strip.first * band.stride;
  for (const PanelSpan& span : plan.spans) {
    const std::size_t key = span.begin * kColumns<T>;
    const std::size_t end = std::min(span.end * kColumns<T>, band.call->sizes.keys);
    for (const ScoreChange<T>* change : band.call->changes) {
      change->change({scores + key, band.stride, strip.rows, end - key, band.batch, band.head,
                      band.first_query + band.first_row + strip.first, key});
    }
  }
  const auto hidden = hn::Set(d, -Infinity<T>());
  for (const MaskedPanel& panel : plan.masked) {
    for (std::size_t r = 0; r < strip.rows; ++r) {
      T* HWY_RESTRICT row = scores + r * band.stride + panel.panel * kColumns<T>;
      for (std::size_t v = 0; v < kVectors; ++v) {
        T* at = row + v * LaneCount<T>();
        hn::StoreU(hn::IfThenElse(Seen<T>(d, panel, r, v), hn::LoadU(d, at), hidden), d, at);
      }
    }
  }
}

// The largest score of each lane; NaN is passed over.
template <typename T>
HWY_INLINE void LaneMaxima(const StripPlan& plan, const T* HWY_RESTRICT row, T* lanes) {
  const hn::ScalableTag<T> d;
  constexpr std::size_t kL = LaneCount<T>();
  hn::Vec<decltype(d)> best[kMaxima<T>];
  for (auto& b : best) b = hn::Set(d, -Infinity<T>());
  for (const PanelSpan& span : plan.spans) {
    const std::size_t end = span.end * kColumns<T>;
    std::size_t i = span.begin * kColumns<T>;
    for (; i + kMaximaLanes<T> <= end; i += kMaximaLanes<T>) {
      for (std::size_t v = 0; v < kMaxima<T>; ++v) {
        best[v] = hn::Max(hn::LoadU(d, row + i + v * kL), best[v]);
      }
    }
    for (; i < end; i += kL) best[0] = hn::Max(hn::LoadU(d, row + i), best[0]);
  }
  for (std::size_t v = 0; v < kMaxima<T>; ++v) hn::StoreU(best[v], d, lanes + v * kL);
}

// The largest of n numbers, n a multiple of the lanes; NaN is passed over.
template <typename T>
HWY_INLINE T Largest(const T* x, std::size_t n) {
  const hn::ScalableTag<T> d;
  auto best = hn::Set(d, -Infinity<T>());
  for (std::size_t i = 0; i < n; i += LaneCount<T>()) best = hn::Max(hn::LoadU(d, x + i), best);
  return hn::GetLane(hn::MaxOfLanes(d, best));
}

// Scores up to here have no weight: below the maximum by more than weight^(alpha-1) / (alpha-1),
// less what rounding may have done to either.
template <typename T>
T EntmaxLimit(double alpha, T maximum, T largest_weight) {
  const double e = alpha - 1;
  if (!(e > 1e-20) || maximum == -Infinity<T>()) return -Infinity<T>();
  const double weight = static_cast<double>(largest_weight);
  const double reach = (alpha == 1.5 ? std::sqrt(weight) : std::pow(weight, e)) / e;
  const double top = static_cast<double>(maximum);
  const double rounding = 16.0 * std::numeric_limits<T>::epsilon() * std::abs(top);
  return static_cast<T>(top - 1.001 * reach - rounding);
}

// limits[r]: every score of row r that may have a weight is above it.
template <typename T>
HWY_INLINE void Limits(const SparseBand<T>& band, T* limits) {
  constexpr std::size_t kLanes = kMaximaLanes<T>;
  T* const lanes = band.lists;
  for (std::size_t s = 0; s < band.strips->size(); ++s) {
    const BandStrip strip = StripOf(band, s);
    for (std::size_t r = strip.first; r < strip.first + strip.rows; ++r) {
      LaneMaxima((*band.strips)[s], band.scores + r * band.stride, lanes + r * kLanes);
    }
  }
  if (band.normaliser->kind == SparseNormaliser::Kind::topk_softmax) {
    for (std::size_t r = 0; r < band.rows; ++r) {
      T* const row = lanes + r * kLanes;
      const std::size_t k = band.normaliser->k;
      limits[r] = -Infinity<T>();
      if (k > kLanes) continue;
      std::nth_element(row, row + k - 1, row + kLanes, std::greater<T>());
      limits[r] = std::nextafter(row[k - 1], -Infinity<T>());
    }
    return;
  }
  const double alpha = band.normaliser->alpha_of(band.head);
  // Where alpha is near 1 no score is out of reach, and short rows need no better limit than 1.
  const bool solve = alpha > 1.01 && band.call->sizes.keys >= 2 * kLanes;
  // Powers are dear: a quarter of the lanes bounds the threshold well enough.
  const std::size_t lanes_used = alpha == 1.5 || alpha == 2 ? kLanes : kLanes / 4;
  if (lanes_used < kLanes) {
    for (std::size_t r = 0; r < band.rows; ++r) {
      const T* const from = lanes + r * kLanes;
      T* const to = lanes + r * lanes_used;  // never ahead of what is still to be read
      for (std::size_t i = 0; i < lanes_used; ++i) {
        T best = from[i];
        for (std::size_t part = 1; part < 4; ++part) {
          best = std::max(best, from[part * lanes_used + i]);
        }
        to[i] = best;
      }
    }
  }
  if (solve) entmax(alpha, lanes, band.solved, band.rows, lanes_used);
  for (std::size_t r = 0; r < band.rows; ++r) {
    const std::size_t row = r * lanes_used;
    const T weight = solve ? Largest(band.solved + row, lanes_used) : T{1};
    limits[r] = EntmaxLimit(alpha, Largest(lanes + row, lanes_used), weight);
  }
}

// The bits of the keys whose score is above the limit, or NaN.
template <typename T>
HWY_INLINE void MarkCandidates(const SparseBand<T>& band, const StripPlan& plan,
                               const T* HWY_RESTRICT row, T limit) {
  const hn::ScalableTag<T> d;
  constexpr std::size_t kL = LaneCount<T>();
  auto* const bytes = reinterpret_cast<std::uint8_t*>(band.bitmap);
  std::memset(bytes, 0, band.stride / 64 * 8);
  const auto low = hn::Set(d, limit);
  for (const PanelSpan& span : plan.spans) {
    for (std::size_t i = span.begin * kColumns<T>; i < span.end * kColumns<T>; i += kL) {
      const auto above = hn::Not(hn::Le(hn::LoadU(d, row + i), low));
      if constexpr (kL >= 8) {
        hn::StoreMaskBits(d, above, bytes + i / 8);
      } else {
        std::uint8_t bits[8] = {};
        hn::StoreMaskBits(d, above, bits);
        bytes[i / 8] = static_cast<std::uint8_t>(bytes[i / 8] | bits[0] << i % 8);
      }
    }
  }
}

// Whether `count` ascending keys are the first ones.
inline bool AllInFront(const std::int32_t* keys, std::size_t count) {
  return count == 0 || static_cast<std::size_t>(keys[count - 1]) + 1 == count;
}

// The keys of the marked scores; four at a time are written without asking, which costs less than
// mispredicted branches. Their scores move to the front of the row.
template <typename T>
HWY_INLINE std::size_t ListCandidates(const SparseBand<T>& band, T* row, std::int32_t* keys) {
  constexpr std::size_t kUnasked = 4;
  std::size_t count = 0;
  for (std::size_t w = 0; w < band.stride / 64; ++w) {
    std::uint64_t word = band.bitmap[w];
    const auto first = static_cast<std::int32_t>(64 * w);
    const auto marked = static_cast<std::size_t>(__builtin_popcountll(word));
    std::int32_t* HWY_RESTRICT to = keys + count;
    count += marked;
    if (marked == 64) {
      for (std::int32_t i = 0; i < 64; ++i) to[i] = first + i;
      continue;
    }
    std::size_t written = 0;
    do {
      for (std::size_t i = 0; i < kUnasked; ++i) {
        to[i] = first + static_cast<std::int32_t>(__builtin_ctzll(word | std::uint64_t{1} << 63));
        word &= word - 1;
      }
      to += kUnasked;
      written += kUnasked;
    } while (written < marked);
  }
  if (AllInFront(keys, count)) return count;
  for (std::size_t i = 0; i < count; ++i) row[i] = row[keys[i]];
  return count;
}

// Keeps the entries that have a weight, NaN included.
template <typename T>
std::size_t KeepSupport(const T* solved, std::size_t count, T* weights, std::int32_t* keys) {
  std::size_t without = 0;
  for (std::size_t i = 0; i < count; ++i) without += solved[i] <= 0;
  if (without == 0) {
    std::copy_n(solved, count, weights);
    return count;
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < count; ++i) {
    weights[kept] = solved[i];
    keys[kept] = keys[i];
    kept += !(solved[i] <= 0);
  }
  return kept;
}

template <typename T>
HWY_INLINE void SolveEntmax(SparseBand<T>& band) {
  const double alpha = band.normaliser->alpha_of(band.head);
  std::size_t columns = 0;
  for (std::size_t r = 0; r < band.rows; ++r) {
    if (band.counts[r] <= kListColumns) columns = std::max(columns, band.counts[r]);
  }
  for (std::size_t r = 0; r < band.rows && columns > 0; ++r) {
    const std::size_t count = band.counts[r] <= kListColumns ? band.counts[r] : 0;
    T* const list = band.lists + r * columns;
    std::copy_n(band.weights(r), count, list);
    std::fill_n(list + count, columns - count, -Infinity<T>());
  }
  entmax(alpha, band.lists, band.solved, band.rows, columns);
  for (std::size_t r = 0; r < band.rows; ++r) {
    const std::size_t count = band.counts[r];
    const T* solved = band.solved + r * columns;
    if (count > kListColumns) {
      entmax(alpha, band.weights(r), band.spare, 1, count);
      solved = band.spare;
    }
    band.counts[r] = KeepSupport(solved, count, band.weights(r), band.support(r));
  }
}

template <typename T>
HWY_INLINE void SolveTopk(SparseBand<T>& band) {
  const std::size_t k = band.normaliser->k;
  for (std::size_t r = 0; r < band.rows; ++r) {
    T* const row = band.weights(r);
    std::int32_t* const keys = band.support(r);
    std::size_t count = band.counts[r];
    // A NaN has no place in an order; kept, it makes the row NaN, as it must.
    const bool ordered = std::none_of(row, row + count, [](T x) { return x != x; });
    if (count > k && ordered) {
      std::uint32_t* const order = band.order;
      for (std::size_t i = 0; i < count; ++i) order[i] = static_cast<std::uint32_t>(i);
      std::nth_element(order, order + k - 1, order + count,
                       [row](std::uint32_t a, std::uint32_t b) {
                         return row[a] != row[b] ? row[a] > row[b] : a < b;
                       });
      std::sort(order, order + k);
      for (std::size_t i = 0; i < k; ++i) {
        row[i] = row[order[i]];
        keys[i] = keys[order[i]];
      }
      count = k;
    }
    softmax(row, band.spare, 1, count);
    band.counts[r] = KeepSupport(band.spare, count, row, keys);
  }
}

// Fills in the support of a band whose queries, plan and room are set.
template <typename T>
HWY_INLINE void FindSupport(SparseBand<T>& band) {
  band.strips->resize((band.rows + kRows - 1) / kRows);
  for (std::size_t s = 0; s < band.strips->size(); ++s) {
    const BandStrip strip = StripOf(band, s);
    band.plan->strip(band.first_row + strip.first, strip.rows, 0, band.call->sizes.keys,
                     kColumns<T>, (*band.strips)[s]);
  }
  BandScores(band);
  for (std::size_t s = 0; s < band.strips->size(); ++s) {
    ChangeAndHide(band, StripOf(band, s), (*band.strips)[s]);
  }
  std::array<T, kMostBandRows> limits;
  Limits(band, limits.data());
  for (std::size_t s = 0; s < band.strips->size(); ++s) {
    const BandStrip strip = StripOf(band, s);
    for (std::size_t r = strip.first; r < strip.first + strip.rows; ++r) {
      MarkCandidates(band, (*band.strips)[s], band.weights(r), limits[r]);
      band.counts[r] = ListCandidates(band, band.weights(r), band.support(r));
    }
  }
  if (band.normaliser->kind == SparseNormaliser::Kind::topk_softmax) {
    SolveTopk(band);
  } else {
    SolveEntmax(band);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace heed::kernels
HWY_AFTER_NAMESPACE();

#endif  // HEED_KERNELS_SPARSE_ATTENTION_INL_H_
