// SPDX-License-Identifier: Apache-2.0
// Sparse fused attention, backward: the work of the support alone. Rows whose support was kept cost
// no product over all keys; the others are found again band by band.
//
//   dp_i = dO . v_i, ds = entmax'(p) dp, all on the support
//   dq = sum ds_i k_i, dk_i += ds_i q, dv_i += p_i dO
#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>

#include "heed/base/threads.h"
#include "heed/kernels/attention/sparse_attention.h"
#include "heed/kernels/attention/sparse_attention_backward_rows.h"
#include "heed/kernels/attention/sparse_attention_band.h"
#include "heed/kernels/dispatch.h"
#include "heed/kernels/scratch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/attention/sparse_attention_backward.cpp"
#include "heed/kernels/highway.h"
// After highway.h: compiled once per target.
#include "heed/kernels/attention/sparse_attention_backward-inl.h"

#ifndef HEED_KERNELS_SPARSE_ATTENTION_BACKWARD_CPP_
#define HEED_KERNELS_SPARSE_ATTENTION_BACKWARD_CPP_
namespace heed::kernels {
namespace {

// The gradients [keys] of one key head, of all threads together.
template <typename T>
struct GradientParts {
  const MatrixRows<T>* parts;
  std::size_t count;
  Heads<T> to;
  std::size_t width, batch, key_head;
};

}  // namespace
}  // namespace heed::kernels
#endif  // HEED_KERNELS_SPARSE_ATTENTION_BACKWARD_CPP_

HWY_BEFORE_NAMESPACE();
namespace heed::kernels {
namespace HWY_NAMESPACE {
namespace {

// Rows [begin, end) of a gradient: the sum of its parts, in their order. A part may be the place
// where it goes.
template <typename T>
bool AddParts(const GradientParts<T>& gradient, std::size_t begin, std::size_t end) {
  const hn::ScalableTag<T> d;
  auto spoilt = hn::Zero(d);
  for (std::size_t key = begin; key < end; ++key) {
    T* const to = gradient.to.row(gradient.batch, gradient.key_head, key);
    Sweep(d, 0, gradient.width, [&](std::size_t i, auto lanes) HWY_ATTR {
      auto sum = lanes.load(d, gradient.parts[0].row(key) + i);
      for (std::size_t p = 1; p < gradient.count; ++p) {
        sum = hn::Add(sum, lanes.load(d, gradient.parts[p].row(key) + i));
      }
      spoilt = hn::Add(spoilt, hn::Sub(sum, sum));
      lanes.store(sum, d, to + i);
    });
  }
  return hn::GetLane(hn::SumOfLanes(d, spoilt)) == 0;
}

BackwardSizes SparseBackwardSizesEntry(const AttentionSizes& s, std::size_t changes) {
  return SparseBackwardSizes<Scalar>(s, changes);
}
void PrepareKeysEntry(const BackwardHead<Scalar>& at, bool pack, std::size_t begin,
                      std::size_t end) {
  PrepareKeys(at, pack, begin, end);
}
bool SparseBackwardRowsEntry(const BackwardRows<Scalar>& rows) {
  return SparseBackwardRows(rows);
}
bool AddPartsEntry(const GradientParts<Scalar>& gradient, std::size_t begin, std::size_t end) {
  return AddParts(gradient, begin, end);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace heed::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {
namespace {

HWY_EXPORT(SparseBackwardSizesEntry);
HWY_EXPORT(PrepareKeysEntry);
HWY_EXPORT(SparseBackwardRowsEntry);
HWY_EXPORT(AddPartsEntry);

// Memory that outlives a row: of the whole call, and of one thread.
struct CallRoom {
  Scratch gradients;  // of one thread
  Scratch sums;       // gradients of parameters and alpha, of all threads
};
CallRoom& call_room() {
  thread_local CallRoom room;
  return room;
}

// One call, as all threads see it.
template <typename T>
struct SparseBackwardCall {
  const AttentionCall<T>& call;
  const SparseNormaliser& normaliser;
  const SparseAttentionBackward<T>& with;
  BackwardSizes sizes;
  std::size_t parameters;  // of all changes
  std::atomic<bool> finite = true;

  // Whether the support of some query of these heads was not kept.
  bool lost(std::size_t batch, std::size_t first_head, std::size_t heads) const {
    const std::int64_t* offsets = with.support.offsets;
    if (offsets == nullptr) return true;
    offsets += row_index(call.sizes, batch, first_head, 0);
    return std::any_of(offsets, offsets + heads * call.sizes.queries,
                       [](std::int64_t offset) { return offset < 0; });
  }
  // Of all that the members of a crew share.
  T* reserve_keys() const {
    const AttentionSizes& all = call.sizes;
    bool any = false;
    for (std::size_t b = 0; b < all.batch; ++b) any = any || lost(b, 0, all.heads);
    const std::size_t count = sizes.keys + sizes.values + (any ? sizes.packed : 0);
    return block_scratch().packed_room<T>(count);
  }
};

// The threads that work at one key head: one, or all.
struct Crew {
  std::size_t member, members;

  void meet() const {
    if (members == 1) return;
#pragma omp barrier
  }
  // This member's part of `count` keys, in whole panels of any target.
  std::size_t begin(std::size_t count) const {
    return share(count, member);
  }
  std::size_t end(std::size_t count) const {
    return share(count, member + 1);
  }

 private:
  std::size_t share(std::size_t count, std::size_t i) const {
    const std::size_t tiles = (count + kMaskKeys - 1) / kMaskKeys;
    return std::min(count, even(tiles, members, i) * kMaskKeys);
  }
};

// Where a member adds up a gradient [keys, width]: the tensor itself if it is the first and rows
// are whole vectors, else `room`.
template <typename T>
MatrixRows<T> place_part(const Heads<T>& to, std::size_t batch, std::size_t key_head, bool direct,
                         T* room, std::size_t stride) {
  if (direct) return {to.row(batch, key_head, 0), to.row_stride};
  return {room, stride};
}
template <typename T>
void clear_rows(const MatrixRows<T>& rows, std::size_t count, std::size_t width) {
  for (std::size_t i = 0; i < count; ++i) std::fill_n(rows.row(i), width, T{0});
}

// The queries of one key head that are this member's.
template <typename T>
void run_queries(SparseBackwardCall<T>& job, const BackwardHead<T>& at, const Crew& crew) {
  thread_local std::vector<StripPlan> strips;
  const AttentionSizes& sizes = job.call.sizes;
  BlockScratch& scratch = block_scratch();
  const BandSizes band_sizes{sizes.keys, sizes.width, sizeof(T)};
  const std::size_t lists = (4 * band_sizes.stride() + job.sizes.row + 15) / 16 * 16;
  T* const room = scratch.room<T>(lists + band_sizes.bytes() / sizeof(T) + 1);
  SparseBand<T> band;
  place_band(band_sizes, room + lists, band);
  band.call = &job.call;
  band.normaliser = &job.normaliser;
  band.packed_keys = at.packed;
  band.plan = &scratch.plan;
  band.batch = at.batch;
  band.strips = &strips;
  const std::size_t group = sizes.heads / sizes.key_heads;
  const std::size_t blocks = (sizes.queries + kSupportRows - 1) / kSupportRows;
  // Blocks are dealt out in turn: under a causal mask neighbours have alike work.
  for (std::size_t task = crew.member; task < group * blocks; task += crew.members) {
    const std::size_t head = at.key_head * group + task / blocks, i = task % blocks;
    const BackwardRows<T> rows{
        &at, &band, head, even(sizes.queries, blocks, i), even(sizes.queries, blocks, i + 1), room};
    scratch.plan.make(job.call.mask, {at.batch, head, rows.begin, rows.end, 0, sizes.keys},
                      sizes.keys);
    band.head = head;
    band.first_query = rows.begin;
    if (!HWY_DYNAMIC_DISPATCH(SparseBackwardRowsEntry)(rows)) job.finite = false;
  }
}

// One key head. `keys` is the crew's, `sums` and `alphas` the member's; parts [2, members] is where
// members tell each other about theirs.
template <typename T>
void run_head(SparseBackwardCall<T>& job, std::size_t index, const Crew& crew, T* keys, T* sums,
              double* alphas, MatrixRows<T>* parts) {
  const AttentionSizes& sizes = job.call.sizes;
  const SparseAttentionBackward<T>& with = job.with;
  const std::size_t batch = index / sizes.key_heads, key_head = index % sizes.key_heads;
  const std::size_t group = sizes.heads / sizes.key_heads;
  const std::size_t width = job.sizes.width, value_width = job.sizes.value_width;
  const bool first = crew.member == 0;
  const std::size_t d_keys = first && width == sizes.width ? 0 : sizes.keys * width;
  const std::size_t d_values =
      first && value_width == sizes.value_width ? 0 : sizes.keys * value_width;
  T* const gradients =
      static_cast<T*>(call_room().gradients.reserve((d_keys + d_values) * sizeof(T)));
  const BackwardHead<T> at{
      .call = &job.call,
      .normaliser = &job.normaliser,
      .with = &with,
      .batch = batch,
      .key_head = key_head,
      .packed = keys + job.sizes.keys + job.sizes.values,
      .keys = keys,
      .values = keys + job.sizes.keys,
      .d_keys = place_part(with.d_keys, batch, key_head, d_keys == 0, gradients, width),
      .d_values = place_part(with.d_values, batch, key_head, d_values == 0, gradients + d_keys,
                             value_width),
      .d_parameters = sums,
      .d_alpha = alphas};
  clear_rows(at.d_keys, sizes.keys, width);
  clear_rows(at.d_values, sizes.keys, value_width);
  parts[crew.member] = at.d_keys;
  parts[crew.members + crew.member] = at.d_values;
  const std::size_t begin = crew.begin(sizes.keys), end = crew.end(sizes.keys);
  HWY_DYNAMIC_DISPATCH(PrepareKeysEntry)(at, job.lost(batch, key_head * group, group), begin, end);
  crew.meet();
  run_queries(job, at, crew);
  crew.meet();
  const auto add = HWY_DYNAMIC_DISPATCH(AddPartsEntry);
  const bool keys_finite =
      add({parts, crew.members, with.d_keys, sizes.width, batch, key_head}, begin, end);
  const bool values_finite =
      add({parts + crew.members, crew.members, with.d_values, sizes.value_width, batch, key_head},
          begin, end);
  if (!keys_finite || !values_finite) job.finite = false;
  crew.meet();
}

}  // namespace

template <typename T>
bool sparse_attention_backward(const AttentionCall<T>& call, const SparseNormaliser& normaliser,
                               const SparseAttentionBackward<T>& with) noexcept {
  const AttentionSizes& sizes = call.sizes;
  SparseBackwardCall<T> job{
      .call = call,
      .normaliser = normaliser,
      .with = with,
      .sizes = HWY_DYNAMIC_DISPATCH(SparseBackwardSizesEntry)(sizes, call.changes.size()),
      .parameters = 0};
  for (const ScoreChange<T>* change : call.changes) job.parameters += change->parameter_count();
  const std::size_t heads = sizes.batch * sizes.key_heads;
  const auto most = static_cast<std::size_t>(omp_in_parallel() != 0 ? 1 : threads());
  // A head to a thread where there are enough of them, else all threads at one head.
  const bool together = heads < most;

  // What each thread adds up, one after the other.
  CallRoom& room = call_room();
  const std::size_t alphas = with.d_alpha == nullptr ? 0 : sizes.heads;
  const std::size_t bytes =
      alphas * sizeof(double) + job.parameters * sizeof(T) + 2 * sizeof(MatrixRows<T>);
  auto* const d_alpha = static_cast<double*>(room.sums.reserve(most * bytes));
  auto* const parts = reinterpret_cast<MatrixRows<T>*>(d_alpha + most * alphas);
  auto* const d_parameters = reinterpret_cast<T*>(parts + 2 * most);
  std::fill_n(d_alpha, most * alphas, 0.0);
  std::fill_n(d_parameters, most * job.parameters, T{0});
  T* const shared = together ? job.reserve_keys() : nullptr;
#pragma omp parallel num_threads(static_cast <int>(most)) if (most > 1)
  {
    const auto thread = static_cast<std::size_t>(omp_get_thread_num());
    const auto count = static_cast<std::size_t>(omp_get_num_threads());
    T* const sums = d_parameters + thread * job.parameters;
    double* const alpha = with.d_alpha == nullptr ? nullptr : d_alpha + thread * alphas;
    T* const keys = together ? shared : job.reserve_keys();
    const Crew crew = together ? Crew{thread, count} : Crew{0, 1};
    MatrixRows<T>* const told = together ? parts : parts + 2 * thread;
    for (std::size_t head = together ? 0 : thread; head < heads; head += together ? 1 : count) {
      run_head(job, head, crew, keys, sums, alpha, told);
    }
  }
  const auto add = [most](const auto* from, std::size_t n, auto* to) {
    for (std::size_t i = 0; i < n; ++i) {
      to[i] = from[i];
      for (std::size_t t = 1; t < most; ++t) to[i] += from[t * n + i];
    }
  };
  if (with.d_parameters != nullptr) add(d_parameters, job.parameters, with.d_parameters);
  if (with.d_alpha != nullptr) add(d_alpha, alphas, with.d_alpha);
  return job.finite;
}

template bool sparse_attention_backward(const AttentionCall<Scalar>&, const SparseNormaliser&,
                                        const SparseAttentionBackward<Scalar>&) noexcept;

}  // namespace heed::kernels
#endif  // HWY_ONCE
