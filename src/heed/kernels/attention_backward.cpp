// SPDX-License-Identifier: Apache-2.0
// Fused attention, backward: keys outside, queries inside, the weights of a block made again from
// the saved log-sum-exp (Dao 2022).
//
//   P = 2^(S - lse), dP = dO V^T, dS = P (dP - delta), delta = dO . O
//   dV = P^T dO, dK = dS^T Q, dQ = dS K
//
// Five products; only K^T and V^T are packed, a block at a time, so nothing grows with the number
// of keys. All other operands are broadcast or read as they lie in small padded copies.
#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "heed/base/threads.h"
#include "heed/kernels/attention.h"
#include "heed/kernels/attention_plan.h"
#include "heed/kernels/attention_team.h"
#include "heed/kernels/dispatch.h"
#include "heed/kernels/scratch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/attention_backward.cpp"
#include "heed/kernels/highway.h"
// After highway.h: compiled once per target.
#include "heed/kernels/attention_tiles-inl.h"

#ifndef HEED_KERNELS_ATTENTION_BACKWARD_CPP_
#define HEED_KERNELS_ATTENTION_BACKWARD_CPP_
namespace heed::kernels {
namespace {

// P and dS of a block, 96 x 128 floats each, stay in L2 beside the keys, the values and their
// gradients. Rows are padded: a stride of a power of two would put a column into few cache sets.
constexpr std::size_t kQueryBlock = 96;
constexpr std::size_t kKeyBlock = 128;
constexpr std::size_t kStride = kKeyBlock + 16;

// The scratch of one thread, cut up.
template <typename T>
struct BackwardRoom {
  T* keys_packed;    // panels of keys, each [D, kColumns]
  T* values_packed;  // the same of [V, kColumns]
  T* keys;           // [kKeyBlock, D padded]
  T* d_keys;         // [kKeyBlock, D padded]
  T* d_values;       // [kKeyBlock, V padded]
  T* query;          // [kQueryBlock, D padded], scaled
  T* d_context;      // [kQueryBlock, V padded]
  T* weights;        // [kQueryBlock, kStride]
  T* d_scores;       // [kQueryBlock, kStride]
  T* d_query;        // [kRows, D padded]
  T* before;         // [changes, kRows, kStride]: what each change was given
};

template <typename T>
struct KeyBlockTask {
  const AttentionCall<T>* call;
  const AttentionBackward<T>* with;
  const T* delta;    // [B,H,Q]
  Heads<T> d_query;  // where dQ is added up
  T* d_parameters;   // [parameters of all changes]
  BlockScratch* scratch;
  std::size_t batch, key_head, key_begin, key_end;
};

}  // namespace
}  // namespace heed::kernels
#endif  // HEED_KERNELS_ATTENTION_BACKWARD_CPP_

HWY_BEFORE_NAMESPACE();
namespace heed::kernels {
namespace HWY_NAMESPACE {
namespace {

template <typename T>
std::size_t padded(std::size_t width) {
  return round_up(width, lane_count<T>());
}

template <typename T>
BackwardRoom<T> cut_up(BlockScratch& scratch, const AttentionSizes& sizes, std::size_t changes) {
  const std::size_t width = padded<T>(sizes.width), value_width = padded<T>(sizes.value_width);
  const std::size_t keys = round_up(kKeyBlock, kColumns<T>);
  T* at = scratch.room<T>(keys * (3 * width + 2 * value_width) +
                          kQueryBlock * (width + value_width + 2 * kStride) + kRows * width +
                          changes * kRows * kStride + 12 * 64);
  const auto take = [&](std::size_t count) {
    T* taken = at;
    at += round_up(count, 64 / sizeof(T));
    return taken;
  };
  BackwardRoom<T> room;
  room.keys_packed = take(keys * width);
  room.values_packed = take(keys * value_width);
  room.keys = take(keys * width);
  room.d_keys = take(keys * width);
  room.d_values = take(keys * value_width);
  room.query = take(kQueryBlock * width);
  room.d_context = take(kQueryBlock * value_width);
  room.weights = take(kQueryBlock * kStride);
  room.d_scores = take(kQueryBlock * kStride);
  room.d_query = take(kRows * width);
  room.before = take(changes * kRows * kStride);
  return room;
}

// Which rows of a block of queries have weight in a panel of keys.
struct RowRange {
  std::size_t begin = kQueryBlock;
  std::size_t end = 0;
};
constexpr std::size_t kMostPanels = kKeyBlock;

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
        width_(padded<T>(call_.sizes.width)),
        value_width_(padded<T>(call_.sizes.value_width)),
        first_row_((task.batch * call_.sizes.heads + head) * call_.sizes.queries + begin) {}

  void run() {
    const AttentionSizes& sizes = call_.sizes;
    BlockPlan& plan = task_.scratch->plan;
    plan.make(call_.mask,
              {task_.batch, head_, query_, query_ + rows_, task_.key_begin, task_.key_end},
              sizes.keys);
    if (plan.empty()) return;
    const T scale = call_.changes.empty() ? call_.scale * ExpConstants<T>::kLog2E : call_.scale;
    copy_rows<T>(rows_, sizes.width, call_.query.row(task_.batch, head_, query_),
                 call_.query.row_stride, scale, room_.query, width_);
    copy_rows<T>(rows_, sizes.value_width, task_.with->d_context.row(task_.batch, head_, query_),
                 task_.with->d_context.row_stride, T{1}, room_.d_context, value_width_);
    const std::size_t strips = (rows_ + kRows - 1) / kRows;
    for (std::size_t s = 0; s < strips; ++s) {
      const std::size_t row = strip_begin(rows_, strips, s);
      Strip(row, strip_begin(rows_, strips, s + 1) - row);
    }
    KeyGradients();
  }

 private:
  const StripPlan& strip() const { return task_.scratch->strip; }
  T* weights(std::size_t row) const { return room_.weights + row * kStride; }
  T* d_scores(std::size_t row) const { return room_.d_scores + row * kStride; }
  std::size_t column(std::size_t panel) const { return panel * kColumns<T> - task_.key_begin; }

  HWY_INLINE void Strip(std::size_t row, std::size_t rows) {
    const AttentionSizes& sizes = call_.sizes;
    task_.scratch->plan.strip(row, rows, task_.key_begin, task_.key_end, kColumns<T>,
                              task_.scratch->strip);
    ClearUnseen(row, rows);
    if (strip().spans.empty()) return;
    const Product<T> tile = product<T, Left::rows>(rows, kVectors);
    for (const PanelSpan& span : strip().spans) {
      for (std::size_t panel = span.begin; panel < span.end; ++panel) {
        const std::size_t c = column(panel);
        tile(sizes.width, room_.query + row * width_, width_, room_.keys_packed + c * sizes.width,
             kColumns<T>, {weights(row) + c, kStride, nullptr, T{1}});
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
             {d_scores(row) + c, kStride, nullptr, T{1}});
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
    clear(round_up(task_.key_end - task_.key_begin, kColumns<T>));
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
    return {
        data + column(span.begin), kStride, rows, end - key, task_.batch, head_, query_ + row, key};
  }

  HWY_INLINE void Change(std::size_t row, std::size_t rows) {
    T* before = room_.before;
    for (const ScoreChange<T>* change : call_.changes) {
      if (!change->adds()) std::memcpy(before, weights(row), rows * kStride * sizeof(T));
      before += kRows * kStride;
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
      T* before = room_.before + (i - 1) * kRows * kStride;
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
        T* HWY_RESTRICT x = block + (row + r) * kStride + column(panel.panel);
        for (std::size_t v = 0; v < kVectors; ++v, x += lane_count<T>()) {
          hn::StoreU(hn::IfThenElseZero(seen<T>(d, panel, r, v), hn::LoadU(d, x)), d, x);
        }
      }
    }
  }

  // The mask of forward on dP, and on P for dV; delta = dO . O already has it.
  HWY_INLINE void Drop(std::size_t row, std::size_t rows, T* block) {
    OverSpans(row, rows, [&](std::size_t r, std::size_t from, std::size_t to) HWY_ATTR {
      const std::size_t end = std::min(to, task_.key_end - task_.key_begin);
      drop_weights(call_.dropout, (first_row_ + r) * call_.sizes.keys + task_.key_begin + from,
                   end - from, block + r * kStride + from);
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
      for (std::size_t i = from; i < to; i += lane_count<T>()) {
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
      for (std::size_t i = from; i < to; i += lane_count<T>()) {
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
      strip_product<T, Left::rows>(rows, width_, count, d_scores(row) + c, kStride,
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
        const std::size_t key = strip_begin(keys, strips, s);
        const std::size_t count = strip_begin(keys, strips, s + 1) - key;
        RowRange range;
        for (std::size_t p = key / kColumns<T>; p <= (key + count - 1) / kColumns<T>; ++p) {
          range.begin = std::min(range.begin, ranges_[p].begin);
          range.end = std::max(range.end, ranges_[p].end);
        }
        if (range.begin >= range.end) continue;
        strip_product<T, Left::columns>(count, width, range.end - range.begin,
                                        left + range.begin * kStride + key, kStride,
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

// Adds x - x, which is 0, or NaN for NaN and infinity.
template <typename T>
HWY_INLINE T Spoilt(const T* x, std::size_t n) {
  const hn::ScalableTag<T> d;
  return sum_over(d, n, [&](std::size_t i, auto lanes, auto& sum) HWY_ATTR {
    const auto v = lanes.load(d, x + i);
    sum = hn::Add(sum, hn::Sub(v, v));
  });
}

// All queries of the heads that read keys [key_begin, key_end) of one key head. Returns whether
// their gradients are finite.
template <typename T>
bool KeyBlock(const KeyBlockTask<T>& task) {
  const AttentionCall<T>& call = *task.call;
  const AttentionSizes& sizes = call.sizes;
  const BackwardRoom<T> room = cut_up<T>(*task.scratch, sizes, call.changes.size());
  const std::size_t width = padded<T>(sizes.width), value_width = padded<T>(sizes.value_width);
  const std::size_t keys = task.key_end - task.key_begin;
  const T* from_keys = call.keys.row(task.batch, task.key_head, task.key_begin);
  const T* from_values = call.values.row(task.batch, task.key_head, task.key_begin);
  for (std::size_t key = 0; key < keys; key += kColumns<T>) {
    const std::size_t columns = std::min(kColumns<T>, keys - key);
    pack_panel<T>(sizes.width, columns,
                  {from_keys + key * call.keys.row_stride, true, call.keys.row_stride},
                  room.keys_packed + key * sizes.width);
    pack_panel<T>(sizes.value_width, columns,
                  {from_values + key * call.values.row_stride, true, call.values.row_stride},
                  room.values_packed + key * sizes.value_width);
  }
  copy_rows<T>(keys, sizes.width, from_keys, call.keys.row_stride, T{1}, room.keys, width);
  std::memset(room.d_keys, 0, keys * width * sizeof(T));
  std::memset(room.d_values, 0, keys * value_width * sizeof(T));

  const std::size_t group = sizes.heads / sizes.key_heads;
  const std::size_t blocks = (sizes.queries + kQueryBlock - 1) / kQueryBlock;
  for (std::size_t i = 0; i < group * blocks; ++i) {
    const std::size_t head = task.key_head * group + i / blocks;
    QueryBlock<T>(task, room, head, even(sizes.queries, blocks, i % blocks),
                  even(sizes.queries, blocks, i % blocks + 1))
        .run();
  }

  // The query carries scale log2(e), or scale alone under changes.
  const T back = call.changes.empty() ? 1 / ExpConstants<T>::kLog2E : T{1};
  const hn::ScalableTag<T> d;
  T spoilt = 0;
  const auto write = [&](const T* from, std::size_t stride, std::size_t n, T factor,
                         const Heads<T>& to) HWY_ATTR {
    const auto by = hn::Set(d, factor);
    for (std::size_t r = 0; r < keys; ++r) {
      const T* HWY_RESTRICT x = from + r * stride;
      T* HWY_RESTRICT y = to.row(task.batch, task.key_head, task.key_begin + r);
      sweep(d, 0, n, [&](std::size_t i, auto lanes) HWY_ATTR {
        lanes.store(hn::Mul(by, lanes.load(d, x + i)), d, y + i);
      });
      spoilt += Spoilt(x, n);
    }
  };
  write(room.d_keys, width, sizes.width, back, task.with->d_keys);
  write(room.d_values, value_width, sizes.value_width, T{1}, task.with->d_values);
  return spoilt == 0;
}

// delta of queries [begin, end) of one head, whose d_query is cleared.
template <typename T>
void Prepare(const AttentionCall<T>& call, const AttentionBackward<T>& with, std::size_t batch,
             std::size_t head, T* delta) {
  const hn::ScalableTag<T> d;
  const AttentionSizes& sizes = call.sizes;
  for (std::size_t q = 0; q < sizes.queries; ++q) {
    const T* HWY_RESTRICT context = with.context.row(batch, head, q);
    const T* HWY_RESTRICT d_context = with.d_context.row(batch, head, q);
    delta[(batch * sizes.heads + head) * sizes.queries + q] =
        sum_over(d, sizes.value_width, [&](std::size_t i, auto lanes, auto& sum) HWY_ATTR {
          sum = hn::MulAdd(lanes.load(d, context + i), lanes.load(d, d_context + i), sum);
        });
    std::memset(with.d_query.row(batch, head, q), 0, sizes.width * sizeof(T));
  }
}

template <typename T>
bool Finite(const AttentionCall<T>& call, const AttentionBackward<T>& with, std::size_t batch,
            std::size_t head) {
  T spoilt = 0;
  for (std::size_t q = 0; q < call.sizes.queries; ++q) {
    spoilt += Spoilt(with.d_query.row(batch, head, q), call.sizes.width);
  }
  return spoilt == 0;
}

bool KeyBlockFloat(const KeyBlockTask<float>& task) {
  return KeyBlock(task);
}
bool KeyBlockDouble(const KeyBlockTask<double>& task) {
  return KeyBlock(task);
}
void PrepareFloat(const AttentionCall<float>& call, const AttentionBackward<float>& with,
                  std::size_t b, std::size_t h, float* delta) {
  Prepare(call, with, b, h, delta);
}
void PrepareDouble(const AttentionCall<double>& call, const AttentionBackward<double>& with,
                   std::size_t b, std::size_t h, double* delta) {
  Prepare(call, with, b, h, delta);
}
bool FiniteFloat(const AttentionCall<float>& call, const AttentionBackward<float>& with,
                 std::size_t b, std::size_t h) {
  return Finite(call, with, b, h);
}
bool FiniteDouble(const AttentionCall<double>& call, const AttentionBackward<double>& with,
                  std::size_t b, std::size_t h) {
  return Finite(call, with, b, h);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace heed::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {
namespace {

HWY_EXPORT(KeyBlockFloat);
HWY_EXPORT(KeyBlockDouble);
HWY_EXPORT(PrepareFloat);
HWY_EXPORT(PrepareDouble);
HWY_EXPORT(FiniteFloat);
HWY_EXPORT(FiniteDouble);

}  // namespace

template <typename T>
bool attention_backward(const AttentionCall<T>& call, const AttentionBackward<T>& with) noexcept {
  const AttentionSizes& sizes = call.sizes;
  const std::size_t key_heads = sizes.batch * sizes.key_heads;
  const std::size_t group = sizes.heads / sizes.key_heads;
  const std::size_t rows = sizes.batch * sizes.heads * sizes.queries;
  const std::size_t blocks = (sizes.keys + kKeyBlock - 1) / kKeyBlock;
  std::size_t parameters = 0;
  for (const ScoreChange<T>* change : call.changes) parameters += change->parameter_count();
  const int count = omp_in_parallel() != 0 ? 1 : threads();
  // A key head to a thread where there are enough; else its key blocks are dealt out, pairwise from
  // both ends so that causal work is even, and each thread adds up a dQ of its own.
  const bool whole_heads = count == 1 || key_heads >= 2 * static_cast<std::size_t>(count);
  const std::size_t shares = whole_heads ? key_heads : static_cast<std::size_t>(count);
  const std::size_t private_query = whole_heads ? 0 : group * sizes.queries * sizes.width;
  thread_local Scratch room;
  T* const delta =
      static_cast<T*>(room.reserve((rows + shares * (parameters + private_query) + 1) * sizeof(T)));
  T* const share_parameters = delta + rows;
  T* const share_queries = share_parameters + shares * parameters;
  std::fill_n(share_parameters, shares * parameters, T{0});
  std::atomic<bool> finite = true;

  const auto prepare = [&](std::size_t key_head) {
    const std::size_t b = key_head / sizes.key_heads, g = key_head % sizes.key_heads;
    for (std::size_t h = g * group; h < (g + 1) * group; ++h) {
      HEED_DISPATCH(T, Prepare)(call, with, b, h, delta);
    }
  };
  const auto run = [&](std::size_t key_head, std::size_t block, const Heads<T>& d_query,
                       std::size_t share) {
    const std::size_t begin = block * kKeyBlock;
    const KeyBlockTask<T> task{&call,
                               &with,
                               delta,
                               d_query,
                               share_parameters + share * parameters,
                               &block_scratch(),
                               key_head / sizes.key_heads,
                               key_head % sizes.key_heads,
                               begin,
                               std::min(begin + kKeyBlock, sizes.keys)};
    if (!HEED_DISPATCH(T, KeyBlock)(task)) finite = false;
  };
  const auto finish = [&](std::size_t key_head) {
    const std::size_t b = key_head / sizes.key_heads, g = key_head % sizes.key_heads;
    for (std::size_t h = g * group; h < (g + 1) * group; ++h) {
      if (!HEED_DISPATCH(T, Finite)(call, with, b, h)) finite = false;
    }
  };
  if (whole_heads) {
#pragma omp parallel for num_threads(count) schedule(dynamic, 1) if (count > 1)
    for (std::size_t key_head = 0; key_head < key_heads; ++key_head) {
      prepare(key_head);
      for (std::size_t block = 0; block < blocks; ++block) {
        run(key_head, block, with.d_query, key_head);
      }
      finish(key_head);
    }
  } else {
    for (std::size_t key_head = 0; key_head < key_heads; ++key_head) {
      prepare(key_head);
      const std::size_t b = key_head / sizes.key_heads;
      const std::size_t first_head = key_head % sizes.key_heads * group;
      std::memset(share_queries, 0, shares * private_query * sizeof(T));
#pragma omp parallel num_threads(count)
      {
        const auto me = static_cast<std::size_t>(omp_get_thread_num());
        // row(b, h, q) of this view is the private row of head h - first_head.
        T* mine = share_queries + me * private_query;
        const std::size_t head_stride = sizes.queries * sizes.width;
        const Heads<T> d_query{mine - first_head * head_stride, 0, head_stride, sizes.width};
        for (std::size_t block = 0; block < blocks; ++block) {
          const std::size_t turn = block % (2 * shares);
          if ((turn < shares ? turn : 2 * shares - 1 - turn) == me) {
            run(key_head, block, d_query, me);
          }
        }
#pragma omp barrier
#pragma omp for schedule(static)
        for (std::size_t i = 0; i < group * sizes.queries; ++i) {
          T* to = with.d_query.row(b, first_head + i / sizes.queries, i % sizes.queries);
          for (std::size_t s = 0; s < shares; ++s) {
            const T* from = share_queries + s * private_query + i * sizes.width;
            for (std::size_t c = 0; c < sizes.width; ++c) to[c] += from[c];
          }
        }
      }
      finish(key_head);
    }
  }
  if (with.d_parameters != nullptr) {
    std::fill_n(with.d_parameters, parameters, T{0});
    for (std::size_t s = 0; s < shares; ++s) {
      for (std::size_t i = 0; i < parameters; ++i) {
        with.d_parameters[i] += share_parameters[s * parameters + i];
      }
    }
  }
  return finite;
}

template bool attention_backward(const AttentionCall<float>&,
                                 const AttentionBackward<float>&) noexcept;
template bool attention_backward(const AttentionCall<double>&,
                                 const AttentionBackward<double>&) noexcept;

}  // namespace heed::kernels
#endif  // HWY_ONCE
