// SPDX-License-Identifier: Apache-2.0
// Attention by features, chunk by chunk: every sum is a product of matrices.
#include "heed/kernels/attention/feature_attention.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "heed/base/threads.h"
#include "heed/kernels/attention/feature_tiles.h"
#include "heed/kernels/dispatch.h"
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
  std::size_t *reach, *begin;  // [rows], [chunk]: see FeatureHead::Rows
  T *sums, *turned_sums;       // [F,C], [C,F]
  T* total;                    // [F]
  T* turned_chunk;             // [F or C,chunk]: keys or values of a chunk
  T *query, *d_query;          // [rows,F]
  T* turned_query;             // [F,rows]
  T *y, *dy, *turned_dy;       // [rows,C], [rows,C], [C,rows]
  T *totals, *dtotal;          // [rows]
  T *products, *d_products;    // [rows,chunk], or [chunk,rows]

  static std::size_t rows(const FeatureAttentionShape& shape) {
    return std::max(kMostRows, shape.group);
  }
  static std::size_t bytes(const FeatureAttentionShape& shape) {
    const std::size_t all = rows(shape), features = shape.features, columns = shape.columns;
    return (all + kChunk) * sizeof(std::size_t) +
           (features * (2 * columns + 1) + std::max(features, columns) * kChunk +
            all * (3 * features + 3 * columns + 2 + 2 * kChunk)) *
               sizeof(T);
  }
  FeatureWork(const FeatureAttentionShape& shape, void* room) {
    const std::size_t all = rows(shape), features = shape.features, columns = shape.columns;
    reach = static_cast<std::size_t*>(room);
    begin = reach + all;
    auto* next = reinterpret_cast<T*>(begin + kChunk);
    const auto take = [&](std::size_t count) {
      T* const mine = next;
      next += count;
      return mine;
    };
    sums = take(features * columns);
    turned_sums = take(features * columns);
    turned_chunk = take(std::max(features, columns) * kChunk);
    query = take(all * features);
    d_query = take(all * features);
    turned_query = take(all * features);
    y = take(all * columns);
    dy = take(all * columns);
    turned_dy = take(all * columns);
    products = take(all * kChunk);
    d_products = take(all * kChunk);
    total = take(features);
    totals = take(all);
    dtotal = take(all);
  }
};

// One head of keys with the heads of queries that read it.
template <typename T>
class FeatureHead {
 public:
  FeatureHead(const FeatureAttentionShape& shape, const FeatureAttentionInput<T>& in,
              std::size_t pair, void* room)
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
    start_sums(work_.sums, 1, columns);
    up([&](const Chunk& chunk) { turn(chunk, keys_, features); },
       [&](const Chunk& chunk, const Rows& rows) {
         const T* const query = rows_of(rows, in_.query, features, work_.query);
         T* const out = rows.contiguous ? context + rows.row * columns : work_.y;
         product(query, work_.sums, out, {.m = rows.count, .n = columns, .k = features});
         const T* products = nullptr;
         if (rows.reach > 0) {
           product(query, work_.turned_chunk, work_.products,
                   {.m = rows.count, .n = kChunk, .k = features});
           shift_and_hide<T>(nullptr, work_.reach, rows.count, kChunk, kChunk, work_.products);
           product(work_.products, values_ + chunk.begin * columns, out,
                   {.m = rows.count,
                    .n = columns,
                    .k = rows.reach,
                    .lda = kChunk,
                    .add = true,
                    .end = work_.reach});
           products = work_.products;
         }
         feature_totals(query, work_.total, features, products, kChunk, work_.reach, rows.count,
                        work_.totals);
         // Features that all vanish see nothing, whatever the sums hold.
         divided_rows(out, work_.totals, rows.count, columns, out);
         put_rows(rows, work_.totals, 1, totals);
         if (!rows.contiguous) put_rows(rows, work_.y, columns, context);
       },
       [&](const Chunk& chunk) {
         product(work_.turned_chunk, values_ + chunk.begin * columns, work_.sums,
                 {.m = features, .n = columns, .k = chunk.size, .lda = kChunk, .add = true});
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
    start_sums(work_.turned_sums, features, 1);
    up([&](const Chunk& chunk) { turn(chunk, values_, columns); },
       [&](const Chunk& chunk, const Rows& rows) {
         slopes(rows, context, totals, d_context);
         T* const out = rows.contiguous ? change.query + rows.row * features : work_.d_query;
         product(work_.dy, work_.turned_sums, out, {.m = rows.count, .n = features, .k = columns});
         if (rows.reach > 0) {
           product(work_.dy, work_.turned_chunk, work_.d_products,
                   {.m = rows.count, .n = kChunk, .k = columns});
           shift_and_hide(work_.dtotal, work_.reach, rows.count, kChunk, kChunk, work_.d_products);
           product(work_.d_products, keys_ + chunk.begin * features, out,
                   {.m = rows.count,
                    .n = features,
                    .k = rows.reach,
                    .lda = kChunk,
                    .add = true,
                    .end = work_.reach});
         }
         add_outer(work_.dtotal, work_.total, rows.count, features, out);
         if (!rows.contiguous) put_rows(rows, work_.d_query, features, change.query);
       },
       [&](const Chunk& chunk) {
         product(work_.turned_chunk, keys_ + chunk.begin * features, work_.turned_sums,
                 {.m = columns, .n = features, .k = chunk.size, .lda = kChunk, .add = true});
       });

    // From here on the sums are those of the queries that see all of a chunk.
    std::fill_n(work_.sums, features * columns, T{0});
    std::fill_n(work_.total, features, T{0});
    std::fill(d_keys + most_ * features, d_keys + shape_.keys * features, T{0});
    std::fill(d_values + most_ * columns, d_values + shape_.keys * columns, T{0});
    const std::size_t all = FeatureWork<T>::rows(shape_);
    down(
        [&](const Chunk& chunk) {
          transpose_into(work_.sums, features, columns, work_.turned_sums, features, features);
          product(values_ + chunk.begin * columns, work_.turned_sums,
                  d_keys + chunk.begin * features,
                  {.m = chunk.size, .n = features, .k = columns, .bias = work_.total});
          product(keys_ + chunk.begin * features, work_.sums, d_values + chunk.begin * columns,
                  {.m = chunk.size, .n = columns, .k = features});
        },
        // Products of the chunk are made the other way round, keys by queries, as they are read.
        [&](const Chunk& chunk, const Rows& rows) {
          const T* const query = rows_of(rows, in_.query, features, work_.query);
          slopes(rows, context, totals, d_context);
          transpose_into(query, rows.count, features, work_.turned_query, all, rows.count);
          if (rows.reach > 0) {
            transpose_into(work_.dy, rows.count, columns, work_.turned_dy, all, rows.count);
            product(keys_ + chunk.begin * features, work_.turned_query, work_.products,
                    {.m = rows.reach, .n = rows.count, .k = features, .ldb = all, .ldc = all});
            product(values_ + chunk.begin * columns, work_.turned_dy, work_.d_products,
                    {.m = rows.reach,
                     .n = rows.count,
                     .k = columns,
                     .ldb = all,
                     .ldc = all,
                     .bias = work_.dtotal});
            hide_from(rows, all);
            product(work_.d_products, query, d_keys + chunk.begin * features,
                    {.m = rows.reach,
                     .n = features,
                     .k = rows.count,
                     .lda = all,
                     .add = true,
                     .begin = work_.begin});
            product(work_.products, work_.dy, d_values + chunk.begin * columns,
                    {.m = rows.reach,
                     .n = columns,
                     .k = rows.count,
                     .lda = all,
                     .add = true,
                     .begin = work_.begin});
          }
          product(work_.turned_query, work_.dy, work_.sums,
                  {.m = features, .n = columns, .k = rows.count, .lda = all, .add = true});
          add_weighted_rows(work_.dtotal, query, rows.count, features, work_.total);
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
  // Some queries of a chunk, with all heads of the group. How much of the chunk row i sees is
  // work_.reach[i]; the first row that sees key j of it is work_.begin[j].
  struct Rows {
    std::size_t first, last;  // in the order of queries
    std::size_t count;        // of rows
    std::size_t begin;        // of the chunk
    std::size_t reach;        // how much of the chunk the last of them sees
    bool contiguous;          // whether they lie one after the other in the tensors of queries
    std::size_t row;          // the first of them there
  };

  // With the leading dimensions of dense rows where none are given.
  static void product(const T* a, const T* b, T* c, CachedProduct<T> options) {
    if (options.lda == 0) options.lda = options.k;
    if (options.ldb == 0) options.ldb = options.n;
    if (options.ldc == 0) options.ldc = options.n;
    cached_product(a, b, c, options);
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
      const auto query = static_cast<std::size_t>(order_[first]);
      Rows rows{.first = first,
                .last = last,
                .count = (last - first) * shape_.group,
                .begin = chunk.begin,
                .reach = count_of(last - 1) - chunk.begin,
                .contiguous = shape_.group == 1,
                .row = pair_ * shape_.group * shape_.queries + query};
      for (std::size_t n = first; n < last; ++n) {
        rows.contiguous &= static_cast<std::size_t>(order_[n]) == query + (n - first);
      }
      std::size_t begin = 0;
      for_rows(rows, [&](std::size_t i, std::size_t, std::size_t reach) {
        work_.reach[i] = reach;
        for (; begin < reach; ++begin) work_.begin[begin] = i;
      });
      body(rows);
    }
  }

  // From the first chunk on: begin(chunk), body(chunk, rows) for its queries, end(chunk), which is
  // to add its keys to the sums; in body these are those of the keys before it.
  template <typename Begin, typename Body, typename End>
  void up(const Begin& begin_chunk, const Body& body, const End& end_chunk) {
    if (first_ == shape_.queries) return;
    std::size_t next = first_;
    for (std::size_t begin = 0;; begin += kChunk) {
      const Chunk chunk = chunk_at(std::min(begin, most_), next);
      if (chunk.size > 0) begin_chunk(chunk);
      in_blocks(chunk, [&](const Rows& rows) { body(chunk, rows); });
      next = chunk.last;
      if (chunk.size == 0) return;
      end_chunk(chunk);
      add_columns(keys_ + chunk.begin * shape_.features, chunk.size, shape_.features, work_.total);
    }
  }

  // The other way: keys(chunk), then body(chunk, rows) for those that see a part of it, and all
  // that come before.
  template <typename Keys, typename Body>
  void down(const Keys& keys, const Body& body) {
    if (first_ == shape_.queries) return;
    std::size_t next = shape_.queries;
    for (std::size_t begin = (most_ + kChunk - 1) / kChunk * kChunk;; begin -= kChunk) {
      const std::size_t from = std::min(begin, most_);
      std::size_t first = next;
      while (first > first_ && count_of(first - 1) >= from) --first;
      const Chunk chunk = chunk_at(from, first);
      if (chunk.size > 0) keys(chunk);
      in_blocks(chunk, [&](const Rows& rows) { body(chunk, rows); });
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
  // Rows of a tensor of queries, where they are or in `room`; and back.
  const T* rows_of(const Rows& rows, const T* from, std::size_t width, T* room) const {
    if (rows.contiguous) return from + rows.row * width;
    for_rows(rows, [&](std::size_t i, std::size_t row, std::size_t) {
      std::copy_n(from + row * width, width, room + i * width);
    });
    return room;
  }
  void put_rows(const Rows& rows, const T* from, std::size_t width, T* to) const {
    for_rows(rows, [&](std::size_t i, std::size_t row, std::size_t) {
      std::copy_n(from + i * width, width, to + row * width);
    });
  }

  // S, item (f, c) at f of `down` and c of `across` steps in a [F,C] or [C,F] matrix, and z.
  void start_sums(T* sums, std::size_t across, std::size_t down) {
    const std::size_t columns = shape_.columns;
    std::fill_n(sums, shape_.features * columns, T{0});
    std::fill_n(work_.total, shape_.features, T{0});
    if (in_.before == nullptr) return;
    const T* const before = in_.before + pair_ * shape_.features * (columns + 1);
    for (std::size_t f = 0; f < shape_.features; ++f) {
      const T* const row = before + f * (columns + 1);
      for (std::size_t c = 0; c < columns; ++c) sums[f * down + c * across] = row[c];
      work_.total[f] = row[columns];
    }
  }

  // A chunk of keys or values [size,width] as [width,chunk].
  void turn(const Chunk& chunk, const T* all, std::size_t width) {
    transpose_into(all + chunk.begin * width, chunk.size, width, work_.turned_chunk, kChunk,
                   kChunk);
  }
  void slopes(const Rows& rows, const T* context, const T* totals, const T* d_context) {
    const std::size_t columns = shape_.columns;
    const T* const c = rows_of(rows, context, columns, work_.y);
    const T* const all = rows_of(rows, totals, 1, work_.totals);
    const T* const dc = rows_of(rows, d_context, columns, work_.dy);
    feature_slopes(dc, c, all, rows.count, columns, work_.dy, work_.dtotal);
  }
  // Zeros for queries before those that see a key, in products [reach,stride] of keys by queries.
  void hide_from(const Rows& rows, std::size_t stride) {
    for (std::size_t j = 0; j < rows.reach; ++j) {
      std::fill_n(work_.products + j * stride, work_.begin[j], T{0});
      std::fill_n(work_.d_products + j * stride, work_.begin[j], T{0});
    }
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
    void* const room = feature_scratch().reserve(FeatureWork<T>::bytes(shape));
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
