// SPDX-License-Identifier: Apache-2.0
// Attention by features, chunk by chunk: every sum is a product of matrices.
#include "heed/kernels/attention/feature_attention.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "heed/base/threads.h"
#include "heed/kernels/dispatch.h"
#include "heed/kernels/products/gemm.h"
#include "heed/kernels/reductions.h"
#include "heed/kernels/scratch.h"

namespace heed::kernels {
namespace {

// Of 64 features and columns: shorter chunks make products too small, longer ones spend more on
// the part of a chunk that a query sees.
constexpr std::size_t kChunk = 64;
constexpr std::size_t kMostRows = 128;  // of queries in one product

Scratch& feature_scratch() {
  thread_local Scratch scratch;
  return scratch;
}

// The sums of one head of keys, and what is worked with beside them.
template <typename T>
struct FeatureWork {
  T *sums, *total;           // [F,C], [F]
  T *query, *d_query;        // [rows,F]
  T *y, *dy, *dtotal;        // [rows,C], [rows,C], [rows]
  T *products, *d_products;  // [rows,chunk]

  static std::size_t rows(const FeatureAttentionShape& shape) {
    return std::max(kMostRows, shape.group);
  }
  static std::size_t size(const FeatureAttentionShape& shape) {
    return shape.features * (shape.columns + 1) +
           rows(shape) * (2 * shape.features + 2 * shape.columns + 1 + 2 * kChunk);
  }
  FeatureWork(const FeatureAttentionShape& shape, T* room) {
    const std::size_t all = rows(shape);
    sums = room;
    total = sums + shape.features * shape.columns;
    query = total + shape.features;
    d_query = query + all * shape.features;
    y = d_query + all * shape.features;
    dy = y + all * shape.columns;
    dtotal = dy + all * shape.columns;
    products = dtotal + all;
    d_products = products + all * kChunk;
  }
};

// One head of keys with the heads of queries that read it.
template <typename T>
class FeatureHead {
 public:
  FeatureHead(const FeatureAttentionShape& shape, const FeatureAttentionInput<T>& in,
              std::size_t pair, T* room)
      : shape_(shape),
        in_(in),
        pair_(pair),
        keys_(in.keys + pair * shape.keys * shape.features),
        values_(in.values + pair * shape.keys * shape.columns),
        seen_(in.seen + pair / shape.key_heads * shape.queries),
        order_(in.order + pair / shape.key_heads * shape.queries),
        work_(shape, room) {
    while (first_ < shape.queries && seen_[order_[first_]] < 0) ++first_;
    if (first_ < shape.queries) {
      most_ = static_cast<std::size_t>(seen_[order_[shape.queries - 1]]);
    }
  }

  void forward(T* context, T* totals) {
    const std::size_t columns = shape_.columns, features = shape_.features;
    for (std::size_t i = 0; i < first_; ++i) {
      each_head(order_[i], [&](std::size_t row) {
        std::fill_n(context + row * columns, columns, T{0});
        totals[row] = 0;
      });
    }
    start_sums();
    up([&](const Chunk& chunk, const Rows& rows) {
      gather(rows, in_.query, features, work_.query);
      multiply(work_.query, work_.sums, work_.y, {.m = rows.count, .n = columns, .k = features});
      multiply_chunk(chunk, rows);
      if (rows.reach > 0) {
        multiply(work_.products, values_ + chunk.begin * columns, work_.y,
                 {.m = rows.count, .n = columns, .k = rows.reach, .lda = kChunk, .beta = 1});
      }
      for_rows(rows, [&](std::size_t i, std::size_t row, std::size_t) {
        const T all = dot(work_.query + i * features, work_.total, features) +
                      (rows.reach > 0 ? sum(work_.products + i * kChunk, rows.reach) : T{0});
        totals[row] = all;
        const T inverse = all == 0 ? T{0} : 1 / all;
        T* const out = context + row * columns;
        const T* const y = work_.y + i * columns;
        // Features that all vanish see nothing, whatever the sums hold.
        for (std::size_t c = 0; c < columns; ++c) out[c] = all == 0 ? T{0} : y[c] * inverse;
      });
    });
  }

  // With dy = dc / total and dt = -<dc, c> / total:
  //   d phi(q) = S dy + z dt + Σ_j (v_j·dy + dt) phi(k_j) over the part of the chunk it sees,
  //   d phi(k_j) = Σ_q (v_j·dy + dt) phi(q), dv_j = Σ_q phi(q)·phi(k_j) dy over those that see j.
  void backward(const T* context, const T* totals, const T* d_context,
                const FeatureAttentionGradient<T>& change) {
    const std::size_t columns = shape_.columns, features = shape_.features;
    T* const d_keys = change.keys + pair_ * shape_.keys * features;
    T* const d_values = change.values + pair_ * shape_.keys * columns;
    for (std::size_t i = 0; i < first_; ++i) {
      each_head(order_[i], [&](std::size_t row) {
        std::fill_n(change.query + row * features, features, T{0});
      });
    }
    const auto slopes = [&](const Rows& rows) {
      for_rows(rows, [&](std::size_t i, std::size_t row, std::size_t) {
        const T* const dc = d_context + row * columns;
        const T inverse = totals[row] == 0 ? T{0} : 1 / totals[row];
        for (std::size_t c = 0; c < columns; ++c) work_.dy[i * columns + c] = dc[c] * inverse;
        work_.dtotal[i] = -dot(dc, context + row * columns, columns) * inverse;
      });
    };
    start_sums();
    up([&](const Chunk& chunk, const Rows& rows) {
      slopes(rows);
      multiply(work_.dy, work_.sums, work_.d_query,
               {.m = rows.count, .n = features, .k = columns, .transpose_b = true});
      if (rows.reach > 0) {
        slopes_of_chunk(chunk, rows);
        multiply(work_.d_products, keys_ + chunk.begin * features, work_.d_query,
                 {.m = rows.count, .n = features, .k = rows.reach, .lda = kChunk, .beta = 1});
      }
      for_rows(rows, [&](std::size_t i, std::size_t row, std::size_t) {
        const T* const found = work_.d_query + i * features;
        T* const out = change.query + row * features;
        for (std::size_t f = 0; f < features; ++f) {
          out[f] = found[f] + work_.dtotal[i] * work_.total[f];
        }
      });
    });

    // From here on the sums are those of the queries that see all of a chunk.
    std::fill_n(work_.sums, features * columns, T{0});
    std::fill_n(work_.total, features, T{0});
    std::fill(d_keys + most_ * features, d_keys + shape_.keys * features, T{0});
    std::fill(d_values + most_ * columns, d_values + shape_.keys * columns, T{0});
    down(
        [&](const Chunk& chunk) {
          const T* const keys = keys_ + chunk.begin * features;
          const T* const values = values_ + chunk.begin * columns;
          T* const dk = d_keys + chunk.begin * features;
          multiply(values, work_.sums, dk,
                   {.m = chunk.size, .n = features, .k = columns, .transpose_b = true});
          for (std::size_t j = 0; j < chunk.size; ++j) {
            for (std::size_t f = 0; f < features; ++f) dk[j * features + f] += work_.total[f];
          }
          multiply(keys, work_.sums, d_values + chunk.begin * columns,
                   {.m = chunk.size, .n = columns, .k = features});
        },
        [&](const Chunk& chunk, const Rows& rows) {
          gather(rows, in_.query, features, work_.query);
          slopes(rows);
          if (rows.reach == 0) return;
          multiply_chunk(chunk, rows);
          slopes_of_chunk(chunk, rows);
          multiply(work_.d_products, work_.query, d_keys + chunk.begin * features,
                   {.m = rows.reach,
                    .n = features,
                    .k = rows.count,
                    .transpose_a = true,
                    .lda = kChunk,
                    .beta = 1});
          multiply(work_.products, work_.dy, d_values + chunk.begin * columns,
                   {.m = rows.reach,
                    .n = columns,
                    .k = rows.count,
                    .transpose_a = true,
                    .lda = kChunk,
                    .beta = 1});
        },
        [&](const Rows& rows) {
          gather(rows, in_.query, features, work_.query);
          slopes(rows);
          multiply(work_.query, work_.dy, work_.sums,
                   {.m = features, .n = columns, .k = rows.count, .transpose_a = true, .beta = 1});
          for (std::size_t i = 0; i < rows.count; ++i) {
            const T* const query = work_.query + i * features;
            for (std::size_t f = 0; f < features; ++f) {
              work_.total[f] += work_.dtotal[i] * query[f];
            }
          }
        });
    if (change.before == nullptr) return;
    T* const d_before = change.before + pair_ * features * (columns + 1);
    for (std::size_t f = 0; f < features; ++f) {
      std::copy_n(work_.sums + f * columns, columns, d_before + f * (columns + 1));
      d_before[f * (columns + 1) + columns] = work_.total[f];
    }
  }

 private:
  // Keys [begin, begin + size). The queries at it see at least `begin` keys, and not all of it;
  // those that see the most keys are at a chunk of none.
  struct Chunk {
    std::size_t begin, size;
    std::size_t first, last;  // of its queries, in their order
    bool finite;
  };
  // Some queries of a chunk, with all heads of the group.
  struct Rows {
    std::size_t first, last;  // in the order of queries
    std::size_t count;        // of rows
    std::size_t begin;        // of the chunk
    std::size_t reach;        // how much of the chunk the last of them sees
  };

  static void multiply(const T* a, const T* b, T* c, const GemmOptions<T>& options) {
    gemm(a, b, c, options);
  }

  Chunk chunk_at(std::size_t begin, std::size_t first) const {
    Chunk chunk{begin, std::min(kChunk, most_ - begin), first, first, true};
    while (chunk.last < shape_.queries &&
           count_of(chunk.last) < begin + std::max<std::size_t>(chunk.size, 1)) {
      ++chunk.last;
    }
    chunk.finite =
        std::isfinite(sum(keys_ + begin * shape_.features, chunk.size * shape_.features)) &&
        std::isfinite(sum(values_ + begin * shape_.columns, chunk.size * shape_.columns));
    return chunk;
  }
  // Keys that the n-th query sees.
  std::size_t count_of(std::size_t n) const { return static_cast<std::size_t>(seen_[order_[n]]); }

  // Where a chunk holds NaN, no query may be multiplied with a key that it does not see: 0 times
  // NaN is NaN.
  template <typename Body>
  void in_blocks(const Chunk& chunk, const Body& body) const {
    const std::size_t step =
        chunk.finite ? std::max<std::size_t>(kMostRows / shape_.group, 1) : std::size_t{1};
    for (std::size_t first = chunk.first; first < chunk.last; first += step) {
      const std::size_t last = std::min(first + step, chunk.last);
      body(Rows{first, last, (last - first) * shape_.group, chunk.begin,
                count_of(last - 1) - chunk.begin});
    }
  }

  // Calls body(chunk, rows) from the first chunk on; the sums are those of the keys before it.
  template <typename Body>
  void up(const Body& body) {
    if (first_ == shape_.queries) return;
    std::size_t next = first_;
    for (std::size_t begin = 0;; begin += kChunk) {
      const Chunk chunk = chunk_at(std::min(begin, most_), next);
      in_blocks(chunk, [&](const Rows& rows) { body(chunk, rows); });
      next = chunk.last;
      if (chunk.size == 0) return;
      const T* const keys = keys_ + chunk.begin * shape_.features;
      multiply(keys, values_ + chunk.begin * shape_.columns, work_.sums,
               {.m = shape_.features,
                .n = shape_.columns,
                .k = chunk.size,
                .transpose_a = true,
                .beta = 1});
      add_columns(keys, chunk.size, shape_.features, work_.total);
    }
  }

  // The other way: keys(chunk), then part(chunk, rows) for those that see a part of it, and
  // whole(rows), for they see all that come before.
  template <typename Keys, typename Part, typename Whole>
  void down(const Keys& keys, const Part& part, const Whole& whole) {
    if (first_ == shape_.queries) return;
    std::size_t next = shape_.queries;
    for (std::size_t begin = (most_ + kChunk - 1) / kChunk * kChunk;; begin -= kChunk) {
      const std::size_t from = std::min(begin, most_);
      std::size_t first = next;
      while (first > first_ && count_of(first - 1) >= from) --first;
      const Chunk chunk = chunk_at(from, first);
      if (chunk.size > 0) keys(chunk);
      in_blocks(chunk, [&](const Rows& rows) { part(chunk, rows); });
      in_blocks(chunk, whole);
      next = first;
      if (begin == 0) return;
    }
  }

  // Rows of a query in the tensors of queries.
  template <typename Body>
  void each_head(std::int64_t query, const Body& body) const {
    for (std::size_t h = 0; h < shape_.group; ++h) {
      body((pair_ * shape_.group + h) * shape_.queries + static_cast<std::size_t>(query));
    }
  }
  // body(i, row, reach) for each of some rows, and how much of the chunk it sees.
  template <typename Body>
  void for_rows(const Rows& rows, const Body& body) const {
    std::size_t i = 0;
    for (std::size_t n = rows.first; n < rows.last; ++n) {
      each_head(order_[n], [&](std::size_t row) { body(i++, row, count_of(n) - rows.begin); });
    }
  }
  void gather(const Rows& rows, const T* from, std::size_t width, T* to) const {
    for_rows(rows, [&](std::size_t i, std::size_t row, std::size_t) {
      std::copy_n(from + row * width, width, to + i * width);
    });
  }

  void start_sums() {
    const std::size_t columns = shape_.columns;
    std::fill_n(work_.sums, shape_.features * columns, T{0});
    std::fill_n(work_.total, shape_.features, T{0});
    if (in_.before == nullptr) return;
    const T* const before = in_.before + pair_ * shape_.features * (columns + 1);
    for (std::size_t f = 0; f < shape_.features; ++f) {
      std::copy_n(before + f * (columns + 1), columns, work_.sums + f * columns);
      work_.total[f] = before[f * (columns + 1) + columns];
    }
  }

  // phi(q)·phi(k_j), 0 beyond what the row sees.
  void multiply_chunk(const Chunk& chunk, const Rows& rows) {
    if (rows.reach == 0) return;
    multiply(work_.query, keys_ + chunk.begin * shape_.features, work_.products,
             {.m = rows.count,
              .n = rows.reach,
              .k = shape_.features,
              .transpose_b = true,
              .ldc = kChunk});
    hide(rows, work_.products);
  }
  // v_j·dy + dt, likewise.
  void slopes_of_chunk(const Chunk& chunk, const Rows& rows) {
    multiply(work_.dy, values_ + chunk.begin * shape_.columns, work_.d_products,
             {.m = rows.count,
              .n = rows.reach,
              .k = shape_.columns,
              .transpose_b = true,
              .ldc = kChunk});
    for (std::size_t i = 0; i < rows.count; ++i) {
      T* const row = work_.d_products + i * kChunk;
      for (std::size_t j = 0; j < rows.reach; ++j) row[j] += work_.dtotal[i];
    }
    hide(rows, work_.d_products);
  }
  void hide(const Rows& rows, T* products) const {
    for_rows(rows, [&](std::size_t i, std::size_t, std::size_t reach) {
      std::fill(products + i * kChunk + reach, products + i * kChunk + rows.reach, T{0});
    });
  }

  const FeatureAttentionShape& shape_;
  const FeatureAttentionInput<T>& in_;
  std::size_t pair_;
  const T* keys_;
  const T* values_;
  const std::int64_t* seen_;
  const std::int64_t* order_;
  FeatureWork<T> work_;
  std::size_t first_ = 0;  // of the queries that see a key, in their order
  std::size_t most_ = 0;   // keys that some query sees
};

template <typename T, typename Body>
bool each_feature_head(const FeatureAttentionShape& shape, const FeatureAttentionInput<T>& in,
                       const Body& body) {
  std::atomic<bool> done = true;
  parallel_for(shape.pairs(), 1, [&](std::size_t begin, std::size_t end) {
    auto* const room =
        static_cast<T*>(feature_scratch().reserve(FeatureWork<T>::size(shape) * sizeof(T)));
    if (room == nullptr) {
      done = false;
      return;
    }
    for (std::size_t pair = begin; pair < end; ++pair) {
      FeatureHead<T> head(shape, in, pair, room);
      body(head);
    }
  });
  return done;
}

}  // namespace

template <typename T>
bool feature_attention(const FeatureAttentionShape& shape, const FeatureAttentionInput<T>& in,
                       T* context, T* totals) noexcept {
  return each_feature_head(shape, in, [&](FeatureHead<T>& head) { head.forward(context, totals); });
}

template <typename T>
bool feature_attention_backward(const FeatureAttentionShape& shape,
                                const FeatureAttentionInput<T>& in, const T* context,
                                const T* totals, const T* d_context,
                                const FeatureAttentionGradient<T>& change) noexcept {
  return each_feature_head(
      shape, in, [&](FeatureHead<T>& head) { head.backward(context, totals, d_context, change); });
}

template bool feature_attention(const FeatureAttentionShape&, const FeatureAttentionInput<Scalar>&,
                                Scalar*, Scalar*) noexcept;
template bool feature_attention_backward(const FeatureAttentionShape&,
                                         const FeatureAttentionInput<Scalar>&, const Scalar*,
                                         const Scalar*, const Scalar*,
                                         const FeatureAttentionGradient<Scalar>&) noexcept;

}  // namespace heed::kernels
