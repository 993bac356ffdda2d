// SPDX-License-Identifier: Apache-2.0
// KeyValueCache: the key/value cache of a memory that grows token by token. Keys and values have
// free places after them, so that growing copies the new ones only. Each place is used once: of two
// memories that grow from the same one, the second gets a copy, so that a memory stays a value.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "heed/tensor/tensor.h"

namespace heed::attention {

class KeyValueCache {
 public:
  // What a memory uses of a cache: `size` places, filled up to `lengths` [B], or all of them.
  struct Fill {
    std::int64_t size = 0;
    Ids lengths{};  // not defined: all
    std::int64_t longest() const;
  };

  // Keys [B,G,K,Dk] and values [B,G,K,Dv] copied, filled as `lengths` says, with free places for at
  // least `more`.
  KeyValueCache(const Tensor& keys, const Tensor& values, std::int64_t more,
                const Ids& lengths = {});

  // Writes more keys and values where each sequence's own end; false where there is no place left,
  // or it was taken. Padding is used up first, and what becomes padding holds zeros.
  bool append(const Fill& fill, const Tensor& keys, const Tensor& values);
  // A cache of its own for these rows of the batch, as far as `fill`, which is theirs, uses it.
  std::shared_ptr<KeyValueCache> rows(const Ids& rows, const Fill& fill) const;

  // The first `size` of them.
  Tensor keys(std::int64_t size) const { return keys_.slice(2, 0, size); }
  Tensor values(std::int64_t size) const { return values_.slice(2, 0, size); }

 private:
  KeyValueCache(const Shape& keys, const Shape& values, std::int64_t taken, std::int64_t places);

  Tensor keys_;                      // [B,G,places,Dk]
  Tensor values_;                    // [B,G,places,Dv]
  std::atomic<std::int64_t> taken_;  // places of the longest sequence that were given away
};

}  // namespace heed::attention
