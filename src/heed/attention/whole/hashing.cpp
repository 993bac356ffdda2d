// SPDX-License-Identifier: Apache-2.0
// Buckets by random directions, then counting, sorting and cutting.
#include "heed/attention/whole/hashing.h"

#include <algorithm>

#include "heed/base/threads.h"
#include "heed/tensor/matmul.h"

namespace heed::attention {
namespace {

// x [B,H,N,D] -> [rounds,B,H,N]: h(x) = argmax [xR; -xR].
std::vector<std::int32_t> buckets_of(const Tensor& x, const Tensor& directions) {
  const std::int64_t rows = x.size(0) * x.size(1) * x.size(2), half = directions.size(2);
  const Tensor flat = x.packed().reshape({rows, x.size(3)});
  std::vector<std::int32_t> all;
  all.reserve(static_cast<std::size_t>(directions.size(0) * rows));
  for (std::int64_t round = 0; round < directions.size(0); ++round) {
    const Tensor turned =
        matmul(flat, directions.slice(0, round, round + 1).reshape({x.size(3), half})).packed();
    const Real* row = turned.data();
    for (std::int64_t i = 0; i < rows; ++i, row += half) {
      const auto [least, most] = std::minmax_element(row, row + half);
      all.push_back(static_cast<std::int32_t>(*most >= -*least ? most - row : least - row + half));
    }
  }
  return all;
}

struct OneHead {
  const std::int32_t* query_buckets;  // [Q]
  const std::int32_t* key_buckets;    // [K]
  const std::int64_t* visible;        // [Q]
  std::int64_t first;                 // the place of query 0
  std::int64_t queries, keys;
  std::int64_t seen;  // keys that some query sees
};

HashRound sorted_round(const OneHead& head, const HashOptions& options) {
  const auto size = [](std::int64_t n) { return static_cast<std::size_t>(n); };
  HashRound found;
  std::vector<std::int64_t> bucket_begin(size(options.buckets) + 1), chunk_begin(bucket_begin);
  for (std::int64_t j = 0; j < head.seen; ++j) ++bucket_begin[size(head.key_buckets[j]) + 1];
  for (std::size_t bucket = 1; bucket < bucket_begin.size(); ++bucket) {
    const std::int64_t held = bucket_begin[bucket];
    // One more than it fills: a query behind the last key of a full chunk is in the next one.
    chunk_begin[bucket] = chunk_begin[bucket - 1] + held / options.chunk + 1;
    bucket_begin[bucket] += bucket_begin[bucket - 1];
  }
  found.keys.resize(size(head.seen));
  found.key_chunk.assign(size(head.keys), -1);
  std::vector<std::int64_t> filled(bucket_begin);
  for (std::int64_t j = 0; j < head.seen; ++j) {
    const std::size_t bucket = size(head.key_buckets[j]);
    const std::int64_t slot = filled[bucket]++;
    found.keys[size(slot)] = static_cast<std::int32_t>(j);
    found.key_chunk[size(j)] = static_cast<std::int32_t>(
        chunk_begin[bucket] + (slot - bucket_begin[bucket]) / options.chunk);
  }
  found.chunk.assign(size(head.queries), -2);
  found.before = found.chunk;
  found.begin.assign(size(head.queries), 0);
  found.end = found.begin;
  found.own.assign(size(head.queries), -1);
  for (std::int64_t q = 0; q < head.queries; ++q) {
    const std::size_t bucket = size(head.query_buckets[q]);
    const std::int64_t begin = bucket_begin[bucket], end = bucket_begin[bucket + 1];
    if (begin == end || head.visible[q] <= 0) continue;
    // Slots of the bucket from `begin` on whose keys lie before a place.
    const auto before_place = [&](std::int64_t place) {
      const auto at = found.keys.begin();
      return std::lower_bound(at + begin, at + end, place) - at;
    };
    const std::int64_t place = before_place(head.first + q);
    const std::int64_t chunk = (place - begin) / options.chunk;
    const std::int64_t chunk_end = std::min(begin + (chunk + 1) * options.chunk, end);
    found.chunk[size(q)] = static_cast<std::int32_t>(chunk_begin[bucket] + chunk);
    if (chunk > 0) found.before[size(q)] = found.chunk[size(q)] - 1;
    found.begin[size(q)] = begin + std::max<std::int64_t>(chunk - 1, 0) * options.chunk;
    found.end[size(q)] =
        std::max(found.begin[size(q)], std::min(chunk_end, before_place(head.visible[q])));
    if (place < found.end[size(q)] && found.keys[size(place)] == head.first + q) {
      found.own[size(q)] = place;
    }
  }
  // Queries by the chunk they are in, so that neighbours see the same keys.
  const std::int64_t chunks = chunk_begin.back();
  std::vector<std::int64_t> next(size(chunks) + 2);
  const auto kind = [&](std::int64_t q) { return size(std::max(found.chunk[size(q)], -1) + 1); };
  for (std::int64_t q = 0; q < head.queries; ++q) ++next[kind(q) + 1];
  for (std::size_t i = 1; i < next.size(); ++i) next[i] += next[i - 1];
  found.queries.resize(size(head.queries));
  for (std::int64_t q = 0; q < head.queries; ++q) {
    found.queries[size(next[kind(q)]++)] = static_cast<std::int32_t>(q);
  }
  return found;
}

}  // namespace

HashedKeys::HashedKeys(const HashOptions& options, const Tensor& directions, const WholeCall& call)
    : options_(options), heads_(call.query.size(1)), queries_(call.query.size(2)) {
  const std::int64_t batch = call.query.size(0), key_heads = call.memory.keys.size(1),
                     keys = call.memory.keys.size(2), group = heads_ / key_heads;
  const std::vector<std::int32_t> of_queries = buckets_of(call.query.value(), directions),
                                  of_keys = buckets_of(call.memory.keys.value(), directions);
  rounds_.resize(static_cast<std::size_t>(batch * heads_ * options.rounds));
  alone_.assign(static_cast<std::size_t>(batch * heads_ * queries_), 1);
  std::vector<std::int64_t> seen(static_cast<std::size_t>(batch), 0);
  for (std::int64_t i = 0; i < batch * queries_; ++i) {
    std::int64_t& most = seen[static_cast<std::size_t>(i / queries_)];
    most = std::max(most, call.visible[static_cast<std::size_t>(i)]);
  }
  parallel_for(static_cast<std::size_t>(batch * heads_), 1, [&](std::size_t from, std::size_t to) {
    for (auto row = static_cast<std::int64_t>(from); row < static_cast<std::int64_t>(to); ++row) {
      const std::int64_t b = row / heads_, key_row = b * key_heads + row % heads_ / group;
      for (std::int64_t r = 0; r < options_.rounds; ++r) {
        HashRound& round = rounds_[static_cast<std::size_t>(row * options_.rounds + r)];
        round = sorted_round(
            {.query_buckets = of_queries.data() + (r * batch * heads_ + row) * queries_,
             .key_buckets = of_keys.data() + (r * batch * key_heads + key_row) * keys,
             .visible = call.visible.data() + b * queries_,
             .first = call.first[static_cast<std::size_t>(b)],
             .queries = queries_,
             .keys = keys,
             .seen = seen[static_cast<std::size_t>(b)]},
            options_);
        for (std::int64_t q = 0; q < queries_; ++q) {
          const auto at = static_cast<std::size_t>(q);
          const std::int64_t held = round.end[at] - round.begin[at];
          if (held > (round.own[at] >= 0 ? 1 : 0)) {
            alone_[static_cast<std::size_t>(row * queries_ + q)] = 0;
          }
        }
      }
    }
  });
}

std::int32_t HashedKeys::count(std::int64_t batch, std::int64_t head, std::int64_t query,
                               std::int64_t key) const {
  std::int32_t found = 0;
  for (std::int64_t r = 0; r < options_.rounds; ++r) {
    const HashRound& of = round(batch, head, r);
    const std::int32_t chunk = of.key_chunk[static_cast<std::size_t>(key)];
    const auto q = static_cast<std::size_t>(query);
    found += chunk == of.chunk[q] || chunk == of.before[q] ? 1 : 0;
  }
  return found;
}

}  // namespace heed::attention
