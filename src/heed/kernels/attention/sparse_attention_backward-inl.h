// SPDX-License-Identifier: Apache-2.0
// The gradient of rows of sparse attention over their support; included once per CPU target.
#if defined(HEED_KERNELS_SPARSE_ATTENTION_BACKWARD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_KERNELS_SPARSE_ATTENTION_BACKWARD_INL_H_
#undef HEED_KERNELS_SPARSE_ATTENTION_BACKWARD_INL_H_
#else
#define HEED_KERNELS_SPARSE_ATTENTION_BACKWARD_INL_H_
#endif

#include <algorithm>
#include <cstddef>

#include "heed/kernels/attention/gathered_rows-inl.h"
#include "heed/kernels/attention/sparse_attention-inl.h"
#include "heed/kernels/attention/sparse_attention_backward_rows.h"
#include "heed/kernels/attention/sparse_rows.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels {
namespace HWY_NAMESPACE {

template <typename T>
BackwardSizes SparseBackwardSizes(const AttentionSizes& sizes, std::size_t changes) {
  const std::size_t width = PaddedWidth<T>(sizes.width), values = PaddedWidth<T>(sizes.value_width);
  BackwardSizes needed;
  needed.width = width;
  needed.value_width = values;
  needed.packed = RoundUp(sizes.keys, kColumns<T>) * sizes.width;
  needed.keys = width == sizes.width ? 0 : sizes.keys * width;
  needed.values = values == sizes.value_width ? 0 : sizes.keys * values;
  needed.row = 2 * width + values + (changes + 1) * kChangeKeys;
  return needed;
}

// Prepares keys [begin, end): packed ones when `pack` says so, whole rows where they are copies.
template <typename T>
void PrepareKeys(const BackwardHead<T>& at, bool pack, std::size_t begin, std::size_t end) {
  const AttentionCall<T>& call = *at.call;
  if (pack) PackKeys(call, at.batch, at.key_head, begin, end, at.packed);
  CopyWholeRows(call.keys, call.sizes.width, at.batch, at.key_head, begin, end, at.keys);
  CopyWholeRows(call.values, call.sizes.value_width, at.batch, at.key_head, begin, end, at.values);
}

// The support of one row and what its gradient is made of.
template <typename T>
struct SupportRow {
  RowList list;
  const T* weights;
  std::size_t query;
};

// Takes d_scores back through the changes, tile by tile: the scores the changes were given are
// computed for the support alone. Other columns get the score of a key of the support, which the
// changes surely can take, and gradient 0.
template <typename T>
HWY_INLINE void UndoChanges(const BackwardRows<T>& rows, const SupportRow<T>& row, const T* query,
                            const MatrixRows<const T>& keys, T* scores, T* d_scores, T* before) {
  const BackwardHead<T>& at = *rows.at;
  const AttentionCall<T>& call = *at.call;
  const std::size_t changes = call.changes.size();
  DotsWithRows(row.list, query, keys, PaddedWidth<T>(call.sizes.width), scores);
  T* const gradient = before + changes * kChangeKeys;
  for (std::size_t i = 0; i < row.list.count;) {
    const std::size_t key = static_cast<std::size_t>(row.list.keys[i]) / kChangeKeys * kChangeKeys;
    const std::size_t columns = std::min(kChangeKeys, call.sizes.keys - key);
    std::size_t end = i;
    std::fill_n(before, columns, scores[i] * call.scale);
    std::fill_n(gradient, columns, T{0});
    for (; end < row.list.count; ++end) {
      const std::size_t column = static_cast<std::size_t>(row.list.keys[end]) - key;
      if (column >= columns) break;
      before[column] = scores[end] * call.scale;
      gradient[column] = d_scores[end];
    }
    const auto tile = [&](std::size_t c) {
      return ScoreTile<T>{
          before + c * kChangeKeys, kChangeKeys, 1, columns, at.batch, rows.head, row.query, key};
    };
    for (std::size_t c = 0; c + 1 < changes; ++c) {
      std::copy_n(tile(c).data, columns, tile(c + 1).data);
      call.changes[c]->change(tile(c + 1));
    }
    // parameters of change c lie after those of the changes before it
    std::size_t parameters = 0;
    for (const ScoreChange<T>* change : call.changes) parameters += change->parameter_count();
    for (std::size_t c = changes; c-- > 0;) {
      const ScoreTile<T> t = tile(c);
      parameters -= call.changes[c]->parameter_count();
      call.changes[c]->derivative(
          {t.data, t.stride, t.rows, t.columns, t.batch, t.head, t.query, t.key}, gradient,
          at.d_parameters + parameters);
    }
    for (; i < end; ++i) {
      d_scores[i] = gradient[static_cast<std::size_t>(row.list.keys[i]) - key];
    }
  }
}

// Whether some change alters the gradient or has one of its own.
template <typename T>
bool ChangesMatter(const AttentionCall<T>& call) {
  return std::any_of(call.changes.begin(), call.changes.end(), [](const ScoreChange<T>* change) {
    return !change->adds() || change->parameter_count() > 0;
  });
}

// Returns whether the gradient of the query is finite.
template <typename T>
HWY_INLINE bool BackwardRow(const BackwardRows<T>& rows, const SupportRow<T>& row) {
  const hn::ScalableTag<T> d;
  const BackwardHead<T>& at = *rows.at;
  const AttentionCall<T>& call = *at.call;
  const AttentionSizes& sizes = call.sizes;
  const std::size_t width = PaddedWidth<T>(sizes.width),
                    value_width = PaddedWidth<T>(sizes.value_width);
  const std::size_t count = row.list.count, stride = rows.band->stride;
  T* const d_weights = rows.lists;
  T* const d_scores = d_weights + stride;
  T* const scores = d_scores + stride;
  T* const dropped = scores + stride;
  T* const query = dropped + stride;
  T* const d_query = query + width;
  T* const d_context = d_query + width;
  T* const before = d_context + value_width;
  const auto keys = WholeRows(call.keys, sizes.width, at.batch, at.key_head, at.keys);
  const auto values = WholeRows(call.values, sizes.value_width, at.batch, at.key_head, at.values);

  CopyRows<T>(1, sizes.width, call.query.row(at.batch, rows.head, row.query), 0, T{1}, query,
              width);
  CopyRows<T>(1, sizes.value_width, at.with->d_context.row(at.batch, rows.head, row.query), 0, T{1},
              d_context, value_width);
  DotsWithRows(row.list, d_context, values, value_width, d_weights);
  const T* weights = row.weights;
  if (call.dropout.probability != 0) {
    const std::size_t index = row_index(sizes, at.batch, rows.head, row.query);
    const DroppedWeight factor{call.dropout, index * sizes.keys};
    for (std::size_t i = 0; i < count; ++i) {
      const double kept = factor(row.list.keys[i]);
      d_weights[i] = static_cast<T>(d_weights[i] * kept);
      dropped[i] = static_cast<T>(weights[i] * kept);
    }
    weights = dropped;
  }
  AddToRows(row.list, weights, d_context, at.d_values, value_width);
  const double alpha = at.normaliser->alpha_of(rows.head);
  if (at.d_alpha != nullptr) {
    at.d_alpha[rows.head] += entmax_alpha_gradient(alpha, row.weights, d_weights, count);
  }
  entmax_backward(alpha, row.weights, d_weights, d_scores, 1, count);
  if (ChangesMatter(call)) UndoChanges(rows, row, query, keys, scores, d_scores, before);
  const auto scale = hn::Set(d, call.scale);
  Sweep(d, 0, count, [&](std::size_t i, auto lanes) HWY_ATTR {
    lanes.store(hn::Mul(scale, lanes.load(d, d_scores + i)), d, d_scores + i);
  });
  AddToRows(row.list, d_scores, query, at.d_keys, width);
  SumOfRows(row.list, d_scores, keys, width, d_query);
  return WriteRow(sizes.width, T{1}, d_query, at.with->d_query.row(at.batch, rows.head, row.query));
}

template <typename T>
bool SparseBackwardRows(const BackwardRows<T>& rows) {
  const BackwardHead<T>& at = *rows.at;
  const AttentionSizes& sizes = at.call->sizes;
  const SparseSupport<T>& kept = at.with->support;
  SparseBand<T>& band = *rows.band;
  const std::size_t count = rows.end - rows.begin;
  const std::size_t most = BandSizes{sizes.keys, 0, 0}.rows();
  const std::size_t bands = (count + most - 1) / most;
  const std::size_t first = row_index(sizes, at.batch, rows.head, 0);
  bool finite = true;
  for (std::size_t i = 0; i < bands; ++i) {
    band.first_row = even(count, bands, i);
    band.rows = even(count, bands, i + 1) - band.first_row;
    const std::size_t query = rows.begin + band.first_row;
    const auto gone = [&](std::size_t q) { return kept.offsets[first + q] < 0; };
    bool all = kept.offsets != nullptr;
    for (std::size_t r = 0; all && r < band.rows; ++r) all = !gone(query + r);
    if (!all) FindSupport(band);
    for (std::size_t r = 0; r < band.rows; ++r) {
      SupportRow<T> row{{band.support(r), band.counts[r]}, band.weights(r), query + r};
      if (all) {
        const std::size_t index = first + query + r;
        row.list = {kept.keys + kept.offsets[index], static_cast<std::size_t>(kept.counts[index])};
        row.weights = kept.weights + kept.offsets[index];
      }
      finite &= BackwardRow(rows, row);
    }
  }
  return finite;
}

}  // namespace HWY_NAMESPACE
}  // namespace heed::kernels
HWY_AFTER_NAMESPACE();

#endif  // HEED_KERNELS_SPARSE_ATTENTION_BACKWARD_INL_H_
