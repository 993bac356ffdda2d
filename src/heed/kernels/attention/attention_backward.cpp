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
#include "heed/kernels/attention/attention.h"
#include "heed/kernels/attention/attention_backward_task.h"
#include "heed/kernels/attention/attention_team.h"
#include "heed/kernels/dispatch.h"
#include "heed/kernels/scratch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/attention/attention_backward.cpp"
#include "heed/kernels/highway.h"
// After highway.h: compiled once per target.
#include "heed/kernels/attention/attention_backward-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels {
namespace HWY_NAMESPACE {
namespace {

// Adds x - x, which is 0, or NaN for NaN and infinity.
template <typename T>
HWY_INLINE T Spoilt(const T* x, std::size_t n) {
  const hn::ScalableTag<T> d;
  return SumOver(d, n, [&](std::size_t i, auto lanes, auto& sum) HWY_ATTR {
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
  const BackwardRoom<T> room = CutUp<T>(*task.scratch, sizes, call.changes.size());
  const std::size_t width = PaddedWidth<T>(sizes.width),
                    value_width = PaddedWidth<T>(sizes.value_width);
  const std::size_t keys = task.key_end - task.key_begin;
  const T* from_keys = call.keys.row(task.batch, task.key_head, task.key_begin);
  const T* from_values = call.values.row(task.batch, task.key_head, task.key_begin);
  for (std::size_t key = 0; key < keys; key += kColumns<T>) {
    const std::size_t columns = std::min(kColumns<T>, keys - key);
    PackPanel<T>(sizes.width, columns,
                 {from_keys + key * call.keys.row_stride, true, call.keys.row_stride},
                 room.keys_packed + key * sizes.width);
    PackPanel<T>(sizes.value_width, columns,
                 {from_values + key * call.values.row_stride, true, call.values.row_stride},
                 room.values_packed + key * sizes.value_width);
  }
  CopyRows<T>(keys, sizes.width, from_keys, call.keys.row_stride, T{1}, room.keys, width);
  std::memset(room.d_keys, 0, keys * width * sizeof(T));
  std::memset(room.d_values, 0, keys * value_width * sizeof(T));

  const std::size_t group = sizes.heads / sizes.key_heads;
  const std::size_t blocks = (sizes.queries + kBackwardQueries - 1) / kBackwardQueries;
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
      Sweep(d, 0, n, [&](std::size_t i, auto lanes) HWY_ATTR {
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
        SumOver(d, sizes.value_width, [&](std::size_t i, auto lanes, auto& sum) HWY_ATTR {
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

bool KeyBlockEntry(const KeyBlockTask<Scalar>& task) {
  return KeyBlock(task);
}
void PrepareEntry(const AttentionCall<Scalar>& call, const AttentionBackward<Scalar>& with,
                  std::size_t b, std::size_t h, Scalar* delta) {
  Prepare(call, with, b, h, delta);
}
bool FiniteEntry(const AttentionCall<Scalar>& call, const AttentionBackward<Scalar>& with,
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

HWY_EXPORT(KeyBlockEntry);
HWY_EXPORT(PrepareEntry);
HWY_EXPORT(FiniteEntry);

}  // namespace

template <typename T>
bool attention_backward(const AttentionCall<T>& call, const AttentionBackward<T>& with) noexcept {
  const AttentionSizes& sizes = call.sizes;
  const std::size_t key_heads = sizes.batch * sizes.key_heads;
  const std::size_t group = sizes.heads / sizes.key_heads;
  const std::size_t rows = sizes.batch * sizes.heads * sizes.queries;
  const std::size_t blocks = (sizes.keys + kBackwardKeys - 1) / kBackwardKeys;
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
      HWY_DYNAMIC_DISPATCH(PrepareEntry)(call, with, b, h, delta);
    }
  };
  const auto run = [&](std::size_t key_head, std::size_t block, const Heads<T>& d_query,
                       std::size_t share) {
    const std::size_t begin = block * kBackwardKeys;
    const KeyBlockTask<T> task{&call,
                               &with,
                               delta,
                               d_query,
                               share_parameters + share * parameters,
                               &block_scratch(),
                               key_head / sizes.key_heads,
                               key_head % sizes.key_heads,
                               begin,
                               std::min(begin + kBackwardKeys, sizes.keys)};
    if (!HWY_DYNAMIC_DISPATCH(KeyBlockEntry)(task)) finite = false;
  };
  const auto finish = [&](std::size_t key_head) {
    const std::size_t b = key_head / sizes.key_heads, g = key_head % sizes.key_heads;
    for (std::size_t h = g * group; h < (g + 1) * group; ++h) {
      if (!HWY_DYNAMIC_DISPATCH(FiniteEntry)(call, with, b, h)) finite = false;
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

template bool attention_backward(const AttentionCall<Scalar>&,
                                 const AttentionBackward<Scalar>&) noexcept;

}  // namespace heed::kernels
#endif  // HWY_ONCE
