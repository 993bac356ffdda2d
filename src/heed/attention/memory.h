// SPDX-License-Identifier: Apache-2.0
// Memory: keys and values as a mechanism reads them, the keys projected once; it can grow step by
// step, as a key/value cache.
#pragma once  // public header

#include <memory>

#include "heed/attention/compose/key_value_cache.h"
#include "heed/attention/pattern.h"
#include "heed/autograd/variable.h"

#pragma GCC visibility push(default)  // exported

namespace heed::attention {

// What belongs to the keys of a memory, besides them. Letters as in score.h. Data that no part of
// the mechanism reads is refused when it attends.
struct KeyData {
  Ids lengths{};   // [B], 0 to K keys that are not padding; not defined: all
  Ids segments{};  // [B,K]
};

struct Memory {
  Variable keys;    // [B,G,K,Dk]
  Variable values;  // [B,G,K,Dv]
  // For each score of each group of heads, in written order, its projection of the keys.
  PooledVector<Variables> projected;
  KeyData data;
  // Where keys and values lie when they have grown without gradients.
  std::shared_ptr<KeyValueCache> cache{};
  // Of whole mechanisms (whole.h): what they keep of `summed` keys that came before these, [B,...].
  Variable sums{};
  std::int64_t summed = 0;
  // The mechanism that projected the keys, and the only one that may read them: copies of one
  // mechanism count as one.
  const void* maker = nullptr;

  std::int64_t size() const { return summed + keys.size(2); }
  // Which of its keys are not padding.
  KeyValueCache::Fill fill() const { return {.size = size(), .lengths = data.lengths}; }
  // The same memory for other rows of the batch, one per entry of `rows`: beams that survive.
  Memory reordered(const Ids& rows) const;
  // The same values without what they were computed from.
  Memory detached() const;
};

// The memory's keys and values with these after those of each sequence, and its lengths grown by as
// many; projections are left to the scores.
Memory with_more(const Memory& memory, const Variable& keys, const Variable& values);

// x [B,G,K,...] with more [B,G,n,...] after each sequence's own keys: after the first lengths[b],
// or after all where lengths are not defined. There are no fewer keys than before.
Variable with_keys_after(const Variable& x, const Variable& more, const Ids& lengths);
// lengths [B], each greater by `more`; not defined: all keys, and stays so.
Ids longer(const Ids& lengths, std::int64_t more);

// x [B,...] -> [rows,...]: its rows along the batch, in the order of `rows`.
Variable rows_of(const Variable& x, const Ids& rows);
Ids rows_of(const Ids& x, const Ids& rows);

// Whether two variables are one and the same tensor: scores that take the keys as they are do not
// copy them.
bool same_elements(const Variable& a, const Variable& b);

}  // namespace heed::attention

#pragma GCC visibility pop
