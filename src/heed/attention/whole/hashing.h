// SPDX-License-Identifier: Apache-2.0
// Locality-sensitive hashing of queries and keys (Reformer): which of them share a bucket in each
// round, in sorted order. No memory grows faster than rounds times the length.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "heed/attention/whole.h"

namespace heed::attention {

struct HashOptions {
  std::int64_t rounds = 4;
  std::int64_t buckets = 64;  // even
  std::int64_t chunk = 64;    // keys of one chunk; a query sees its own and the one before
  bool self = false;          // whether the key at the query's own place is one as any other
};

// One round of one head, in which keys are sorted by bucket and place, and cut into chunks that
// begin anew with each bucket: what a query sees does not depend on keys after it.
struct HashRound {
  std::vector<std::int32_t> keys;        // [K'], which key is in each slot; K' are seen by somebody
  std::vector<std::int32_t> queries;     // [Q], which query is in each slot
  std::vector<std::int32_t> key_chunk;   // [K], by key; -1: not seen by anybody
  std::vector<std::int32_t> chunk;       // [Q], by query; -2: no key shares its bucket
  std::vector<std::int32_t> before;      // [Q], the chunk before in the same bucket, or -2
  std::vector<std::int64_t> begin, end;  // [Q], by query: slots of the keys that it sees
  std::vector<std::int64_t> own;  // [Q], by query: the slot among them at its own place, or -1
};

class HashedKeys {
 public:
  // `directions` [rounds, D, buckets/2].
  HashedKeys(const HashOptions& options, const Tensor& directions, const WholeCall& call);

  const HashRound& round(std::int64_t batch, std::int64_t head, std::int64_t round) const {
    return rounds_[static_cast<std::size_t>((batch * heads_ + head) * options_.rounds + round)];
  }
  std::int64_t rounds() const { return options_.rounds; }
  // Whether a query of this round sees the key in a slot: its own place counts only where it is
  // alone in all rounds.
  bool hides_own(std::int64_t batch, std::int64_t head, std::int64_t query) const {
    return !options_.self &&
           !alone_[static_cast<std::size_t>((batch * heads_ + head) * queries_ + query)];
  }
  // In how many rounds a query's chunks hold a key.
  std::int32_t count(std::int64_t batch, std::int64_t head, std::int64_t query,
                     std::int64_t key) const;

 private:
  HashOptions options_;
  std::int64_t heads_, queries_;
  std::vector<HashRound> rounds_;    // [B,H,rounds]
  std::vector<std::uint8_t> alone_;  // [B,H,Q]
};

}  // namespace heed::attention
