// SPDX-License-Identifier: Apache-2.0
// A block of queries over a block of keys in the backward pass of fused attention: weights made
// again and the five products; included once per CPU target (see highway.h).
#if defined(HEED_KERNELS_ATTENTION_BACKWARD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_KERNELS_ATTENTION_BACKWARD_INL_H_
#undef HEED_KERNELS_ATTENTION_BACKWARD_INL_H_
#else
#define HEED_KERNELS_ATTENTION_BACKWARD_INL_H_
#endif

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "heed/kernels/attention/attention_backward_task.h"
#include "heed/kernels/attention/attention_tiles-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels {
namespace HWY_NAMESPACE {

template <typename T>
BackwardRoom<T> CutUp(BlockScratch& scratch, const AttentionSizes& sizes, std::size_t changes) {
  const std::size_t width = PaddedWidth<T>(sizes.width),
                    value_width = PaddedWidth<T>(sizes.value_width);
  static_assert(kBackwardKeys % kColumns<T> == 0);  // no tile passes the end of a row
  T* at = scratch.room<T>(kBackwardKeys * (3 * width + 2 * value_width) +
                          kBackwardQueries * (width + value_width + 2 * kBackwardStride) +
                          kRows * width + changes * kRows * kBackwardStride + 12 * 64);
  const auto take = [&](std::size_t count) {
    T* taken = at;
    at += RoundUp(count, 64 / sizeof(T));
    return taken;
  };
  BackwardRoom<T> room;
  room.keys_packed = take(kBackwardKeys * width);
  room.values_packed = take(kBackwardKeys * value_width);
  room.keys = take(kBackwardKeys * width);
  room.d_keys = take(kBackwardKeys * width);
  room.d_values = take(kBackwardKeys * value_width);
  room.query = take(kBackwardQueries * width);
  room.d_context = take(kBackwardQueries * value_width);
  room.weights = take(kBackwardQueries * kBackwardStride);
  room.d_scores = take(kBackwardQueries * kBackwardStride);
  room.d_query = take(kRows * width);
  room.before = take(changes * kRows * kBackwardStride);
  return room;
}

// Which rows of a block of queries have weight in a panel of keys.
struct RowRange {
  std::size_t begin = kBackwardQueries;
  std::size_t end = 0;
};
constexpr std::size_t kMostPanels = kBackwardKeys;

template <typename T>
class QueryBlock {
 public:
  QueryBlock(const KeyBlockTask<T>& task, const BackwardRoom<T>& room, std::size_t head,
             std::size_t begin, std::size_t end)
      : task_(task),
        call_(*task.call),
        room_(room),
        head_(head),
        query_(begin),
        rows_(end - begin),
        width_(PaddedWidth<T>(call_.sizes.width)),
        value_width_(PaddedWidth<T>(call_.sizes.value_width)),
        first_row_((task.batch * call_.sizes.heads + head) * call_.sizes.queries + begin) {}

  void run() {
    const AttentionSizes& sizes = call_.sizes;
    BlockPlan& plan = task_.scratch->plan;
    plan.make(call_.mask,
              {task_.batch, head_, query_, query_ + rows_, task_.key_begin, task_.key_end},
              sizes.keys);
    if (plan.empty()) return;
    const T scale = call_.changes.empty() ? call_.scale * ExpConstants<T>::kLog2E : call_.scale;
    CopyRows<T>(rows_, sizes.width, call_.query.row(task_.batch, head_, query_),
                call_.query.row_stride, scale, room_.query, width_);
    CopyRows<T>(rows_, sizes.value_width, task_.with->d_context.row(task_.batch, head_, query_),
                task_.with->d_context.row_stride, T{1}, room_.d_context, value_width_);
    const std::size_t strips = (rows_ + kRows - 1) / kRows;
    for (std::size_t s = 0; s < strips; ++s) {
      const std::size_t row = StripBegin(rows_, strips, s);
      Strip(row, StripBegin(rows_, strips, s + 1) - row);
    }
    KeyGradients();
  }

 private:
  const StripPlan& strip() const { return task_.scratch->strip; }
  T* weights(std::size_t row) const { return room_.weights + row * kBackwardStride; }
  T* d_scores(std::size_t row) const { return room_.d_scores + row * kBackwardStride; }
  std::size_t column(std::size_t panel) const { return panel * kColumns<T> - task_.key_begin; }

  HWY_INLINE void Strip(std::size_t row, std::size_t rows) {
    const AttentionSizes& sizes = call_.sizes;
    task_.scratch->plan.strip(row, rows, task_.key_begin, task_.key_end, kColumns<T>,
                              task_.scratch->strip);
    ClearUnseen(row, rows);
    if (strip().spans.empty()) return;
    const Product<T> tile = ProductOf<T, Left::rows>(rows, kVectors);
    for (const PanelSpan& span : strip().spans) {
      for (std::size_t panel = span.begin; panel < span.end; ++panel) {
        const std::size_t c = column(panel);
        tile(sizes.width, room_.query + row * width_, width_, room_.keys_packed + c * sizes.width,
             kColumns<T>, {weights(row) + c, kBackwardStride, nullptr, T{1}});
        RowRange& range = ranges_[c / kColumns<T>];
        range.begin = std::min(range.begin, row);
        range.end = row + rows;
      }
    }
    if (!call_.changes.empty()) Change(row, rows);
    Weights(row, rows);
    for (const PanelSpan& span : strip().spans) {
      for (std::size_t panel = span.begin; panel < span.end; ++panel) {
        const std::size_t c = column(panel);
        tile(sizes.value_width, room_.d_context + row * value_width_, value_width_,
             room_.values_packed + c * sizes.value_width, kColumns<T>,
             {d_scores(row) + c, kBackwardStride, nullptr, T{1}});
      }
    }
    if (call_.dropout.probability > 0) Drop(row, rows, room_.d_scores);
    ScoreGradients(row, rows);
    if (call_.dropout.probability > 0) Drop(row, rows, room_.weights);
    if (!call_.changes.empty()) Derive(row, rows);
    QueryGradients(row, rows);
  }

  // Panels that no row of the strip sees have weight 0 in the products over all rows.
  HWY_INLINE void ClearUnseen(std::size_t row, std::size_t rows) {
    std::size_t done = 0;
    const auto clear = [&](std::size_t end) HWY_ATTR {
      for (std::size_t r = row; r < row + rows && done < end; ++r) {
        std::memset(weights(r) + done, 0, (end - done) * sizeof(T));
        std::memset(d_scores(r) + done, 0, (end - done) * sizeof(T));
      }
    };
    for (const PanelSpan& span : strip().spans) {
      clear(column(span.begin));
      done = column(span.end);
    }
    clear(RoundUp(task_.key_end - task_.key_begin, kColumns<T>));
  }

  // Calls body(r, from, to) for the columns of each span of each row.
  template <typename Body>
  HWY_INLINE void OverSpans(std::size_t row, std::size_t rows, const Body& body) const {
    for (std::size_t r = row; r < row + rows; ++r) {
      for (const PanelSpan& span : strip().spans) body(r, column(span.begin), column(span.end));
    }
  }

  ScoreTile<T> TileOf(const PanelSpan& span, std::size_t row, std::size_t rows, T* data) const {
    const std::size_t key = span.begin * kColumns<T>;
    const std::size_t end = std::min(span.end * kColumns<T>, call_.sizes.keys);
    return {data + column(span.begin),
            kBackwardStride,
            rows,
            end - key,
            task_.batch,
            head_,
            query_ + row,
            key};
  }

  HWY_INLINE void Change(std::size_t row, std::size_t rows) {
    T* before = room_.before;
    for (const ScoreChange<T>* change : call_.changes) {
      if (!change->adds()) std::memcpy(before, weights(row), rows * kBackwardStride * sizeof(T));
      before += kRows * kBackwardStride;
      for (const PanelSpan& span : strip().spans) {
        change->change(TileOf(span, row, rows, weights(row)));
      }
    }
  }

  HWY_INLINE void Derive(std::size_t row, std::size_t rows) {
    std::size_t parameters = 0;
    for (const ScoreChange<T>* change : call_.changes) parameters += change->parameter_count();
    for (std::size_t i = call_.changes.size(); i > 0; --i) {
      const ScoreChange<T>& change = *call_.changes[i - 1];
      parameters -= change.parameter_count();
      if (change.adds() && change.parameter_count() == 0) continue;
      T* before = room_.before + (i - 1) * kRows * kBackwardStride;
      for (const PanelSpan& span : strip().spans) {
        const ScoreTile<T> tile = TileOf(span, row, rows, before);
        change.derivative({tile.data, tile.stride, tile.rows, tile.columns, tile.batch, tile.head,
                           tile.query, tile.key},
                          d_scores(row) + column(span.begin), task_.d_parameters + parameters);
      }
    }
    // What a change wrote beyond the keys, or made of masked ones, has no gradient.
    Hide(row, rows, room_.d_scores);
  }

  HWY_INLINE void Hide(std::size_t row, std::size_t rows, T* block) {
    const hn::ScalableTag<T> d;
    for (const MaskedPanel& panel : strip().masked) {
      for (std::size_t r = 0; r < rows; ++r) {
        T* HWY_RESTRICT x = block + (row + r) * kBackwardStride + column(panel.panel);
        for (std::size_t v = 0; v < kVectors; ++v, x += LaneCount<T>()) {
          hn::StoreU(hn::IfThenElseZero(Seen<T>(d, panel, r, v), hn::LoadU(d, x)), d, x);
        }
      }
    }
  }

  // The mask of forward on dP, and on P for dV; delta = dO . O already has it.
  HWY_INLINE void Drop(std::size_t row, std::size_t rows, T* block) {
    OverSpans(row, rows, [&](std::size_t r, std::size_t from, std::size_t to) HWY_ATTR {
      const std::size_t end = std::min(to, task_.key_end - task_.key_begin);
      drop_weights(call_.dropout, (first_row_ + r) * call_.sizes.keys + task_.key_begin + from,
                   end - from, block + r * kBackwardStride + from);
    });
  }

  // P = 2^(S - lse); changed scores are in base e.
  HWY_INLINE void Weights(std::size_t row, std::size_t rows) {
    const hn::ScalableTag<T> d;
    const auto to_base2 = hn::Set(d, call_.changes.empty() ? T{1} : ExpConstants<T>::kLog2E);
    OverSpans(row, rows, [&](std::size_t r, std::size_t from, std::size_t to) HWY_ATTR {
      const auto lse =
          hn::Set(d, task_.with->log_sum_exp[first_row_ + r] * ExpConstants<T>::kLog2E);
      T* HWY_RESTRICT x = weights(r);
      for (std::size_t i = from; i < to; i += LaneCount<T>()) {
        hn::StoreU(Exp2(d, hn::MulSub(hn::LoadU(d, x + i), to_base2, lse)), d, x + i);
      }
    });
    Hide(row, rows, room_.weights);
  }

  // dS = P (dP - delta)
  HWY_INLINE void ScoreGradients(std::size_t row, std::size_t rows) {
    const hn::ScalableTag<T> d;
    OverSpans(row, rows, [&](std::size_t r, std::size_t from, std::size_t to) HWY_ATTR {
      const auto delta = hn::Set(d, task_.delta[first_row_ + r]);
      const T* HWY_RESTRICT p = weights(r);
      T* HWY_RESTRICT x = d_scores(r);
      for (std::size_t i = from; i < to; i += LaneCount<T>()) {
        hn::StoreU(hn::Mul(hn::LoadU(d, p + i), hn::Sub(hn::LoadU(d, x + i), delta)), d, x + i);
      }
    });
    // A masked value may be anything, and so its dP.
    Hide(row, rows, room_.d_scores);
  }

  // dQ += scale dS K
  HWY_INLINE void QueryGradients(std::size_t row, std::size_t rows) {
    static constexpr T kOnes[kRows] = {1, 1, 1, 1, 1, 1};
    const std::size_t width = call_.sizes.width;
    T* to = task_.d_query.row(task_.batch, head_, query_ + row);
    const bool direct = width == width_;
    const T* keep = direct ? kOnes : nullptr;
    for (const PanelSpan& span : strip().spans) {
      const std::size_t c = column(span.begin);
      const std::size_t count =
          std::min(span.end * kColumns<T>, task_.key_end) - span.begin * kColumns<T>;
      StripProduct<T, Left::rows>(rows, width_, count, d_scores(row) + c, kBackwardStride,
                                  room_.keys + c * width_, kColumns<T>, width_,
                                  {direct ? to : room_.d_query,
                                   direct ? task_.d_query.row_stride : width_, keep, call_.scale});
      keep = kOnes;
    }
    if (direct) return;
    for (std::size_t r = 0; r < rows; ++r) {
      T* y = task_.d_query.row(task_.batch, head_, query_ + row + r);
      for (std::size_t i = 0; i < width; ++i) y[i] += room_.d_query[r * width_ + i];
    }
  }

  // dV += P^T dO, dK += dS^T Q
  HWY_INLINE void KeyGradients() {
    static constexpr T kOnes[kRows] = {1, 1, 1, 1, 1, 1};
    const std::size_t keys = task_.key_end - task_.key_begin;
    const std::size_t strips = (keys + kRows - 1) / kRows;
    const auto add = [&](const T* left, const T* right, std::size_t width, T* to) HWY_ATTR {
      for (std::size_t s = 0; s < strips; ++s) {
        const std::size_t key = StripBegin(keys, strips, s);
        const std::size_t count = StripBegin(keys, strips, s + 1) - key;
        RowRange range;
        for (std::size_t p = key / kColumns<T>; p <= (key + count - 1) / kColumns<T>; ++p) {
          range.begin = std::min(range.begin, ranges_[p].begin);
          range.end = std::max(range.end, ranges_[p].end);
        }
        if (range.begin >= range.end) continue;
        StripProduct<T, Left::columns>(count, width, range.end - range.begin,
                                       left + range.begin * kBackwardStride + key, kBackwardStride,
                                       right + range.begin * width, kColumns<T>, width,
                                       {to + key * width, width, kOnes, T{1}});
      }
    };
    add(room_.weights, room_.d_context, value_width_, room_.d_values);
    add(room_.d_scores, room_.query, width_, room_.d_keys);
  }

  const KeyBlockTask<T>& task_;
  const AttentionCall<T>& call_;
  const BackwardRoom<T>& room_;
  const std::size_t head_, query_, rows_, width_, value_width_, first_row_;
  RowRange ranges_[kMostPanels];
};

}  // namespace HWY_NAMESPACE
}  // namespace heed::kernels
HWY_AFTER_NAMESPACE();

#endif  // HEED_KERNELS_ATTENTION_BACKWARD_INL_H_
