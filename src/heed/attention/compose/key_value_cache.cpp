// SPDX-License-Identifier: Apache-2.0
// Places for half as many keys again as there are, so that n steps copy about 3 n keys.
#include "heed/attention/compose/key_value_cache.h"

#include <algorithm>
#include <vector>

#include "heed/base/threads.h"
#include "heed/tensor/join.h"

namespace heed::attention {
namespace {

constexpr std::int64_t kFewest = 16;
constexpr std::size_t kGrain = 1 << 14;  // elements that pay for waking a thread

std::int64_t places_for(std::int64_t keys) {
  return std::max(kFewest, keys + keys / 2);
}

// from [B,G,places,D], to [N,G,places',D]: the first `size` places of these rows.
void copy_rows(const Tensor& from, const Ids& rows, std::int64_t size, Tensor& to) {
  const std::int64_t heads = to.size(1);
  const std::int64_t elements = size * to.size(3);
  const std::int32_t* row = rows.data();
  Real* out = to.mutable_data();
  const std::size_t grain =
      1 + kGrain / static_cast<std::size_t>(std::max<std::int64_t>(elements, 1));
  parallel_for(static_cast<std::size_t>(rows.size() * heads), grain,
               [&](std::size_t begin, std::size_t end) {
                 for (auto i = static_cast<std::int64_t>(begin); i < static_cast<std::int64_t>(end);
                      ++i) {
                   const std::int64_t n = i / heads;
                   const std::int64_t g = i % heads;
                   std::copy_n(from.data() + row[n] * from.stride(0) + g * from.stride(1), elements,
                               out + n * to.stride(0) + g * to.stride(1));
                 }
               });
}

}  // namespace

KeyValueCache::KeyValueCache(const Shape& keys, const Shape& values, std::int64_t taken,
                             std::int64_t places)
    : keys_(keys.with(2, places)), values_(values.with(2, places)), taken_(taken) {}

std::int64_t KeyValueCache::Fill::longest() const {
  if (!lengths.defined()) return size;
  const std::vector<std::int32_t> all = lengths.values();
  return all.empty() ? 0 : *std::ranges::max_element(all);
}

KeyValueCache::KeyValueCache(const Tensor& keys, const Tensor& values, std::int64_t more,
                             const Ids& lengths)
    : KeyValueCache(keys.shape(), values.shape(), Fill{keys.size(2), lengths}.longest(),
                    places_for(keys.size(2) + more)) {
  keys_.slice(2, 0, keys.size(2)).assign(keys);
  values_.slice(2, 0, values.size(2)).assign(values);
}

bool KeyValueCache::append(const Fill& fill, const Tensor& keys, const Tensor& values) {
  const std::int64_t longest = fill.longest(), more = keys.size(2);
  const std::int64_t after = longest + more;
  std::int64_t free_from = longest;
  if (after > keys_.size(2) || !taken_.compare_exchange_strong(free_from, after)) return false;
  if (!fill.lengths.defined()) {
    keys_.slice(2, longest, after).assign(keys);
    values_.slice(2, longest, after).assign(values);
    return true;
  }
  const auto write = [&](Tensor& all, const Tensor& added) {
    // A kernel that finds NaN in padding starts again without it.
    if (after > fill.size) {
      Tensor padding = all.slice(2, fill.size, after);
      padding.assign(Tensor::zeros(padding.shape()));
    }
    for (std::int64_t b = 0; b < added.size(0); ++b) {
      const std::int64_t length = fill.lengths.at({b});
      all.slice(0, b, b + 1).slice(2, length, length + more).assign(added.slice(0, b, b + 1));
    }
  };
  write(keys_, keys);
  write(values_, values);
  return true;
}

std::shared_ptr<KeyValueCache> KeyValueCache::rows(const Ids& rows, const Fill& fill) const {
  check_ids(rows, keys_.size(0), "memory");
  const std::int64_t size = fill.size;
  const std::int64_t places = size < keys_.size(2) ? keys_.size(2) : places_for(size + 1);
  std::shared_ptr<KeyValueCache> other(new KeyValueCache(keys_.shape().with(0, rows.size()),
                                                         values_.shape().with(0, rows.size()),
                                                         fill.longest(), places));
  const Ids order = rows.packed();
  copy_rows(keys_, order, size, other->keys_);
  copy_rows(values_, order, size, other->values_);
  return other;
}

}  // namespace heed::attention
