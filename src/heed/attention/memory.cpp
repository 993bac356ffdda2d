// SPDX-License-Identifier: Apache-2.0
// Memories that grow, and those of other rows of the batch: beams that survive, sentences that
// continue.
#include "heed/attention/memory.h"

#include <algorithm>

#include "heed/autograd/ops.h"
#include "heed/base/error.h"

namespace heed::attention {

bool same_elements(const Variable& a, const Variable& b) {
  return a.value().size() > 0 && a.value().data() == b.value().data() && a.shape() == b.shape();
}

Variable rows_of(const Variable& x, const Ids& rows) {
  if (!x.defined()) return {};
  check_ids(rows, x.size(0), "rows of a batch");
  const std::int64_t width = x.size(0) == 0 ? 0 : x.value().size() / x.size(0);
  return reshape(embedding(reshape(x, {x.size(0), width}), rows), x.shape().with(0, rows.size()));
}

Ids rows_of(const Ids& x, const Ids& rows) {
  if (!x.defined()) return {};
  check_ids(rows, x.size(0), "rows of a batch");
  const Ids from = x.packed();
  Ids to(x.shape().with(0, rows.size()));
  const std::int64_t width = x.size(0) == 0 ? 0 : x.size() / x.size(0);
  std::int32_t* out = to.mutable_data();
  for (const std::int32_t row : rows.span()) {
    out = std::copy_n(from.data() + row * width, width, out);
  }
  return to;
}

Ids longer(const Ids& lengths, std::int64_t more) {
  if (!lengths.defined()) return {};
  Ids all = lengths.packed().clone();
  std::int32_t* const data = all.mutable_data();
  for (std::int64_t b = 0; b < all.size(); ++b) data[b] += static_cast<std::int32_t>(more);
  return all;
}

Variable with_keys_after(const Variable& x, const Variable& more, const Ids& lengths) {
  Variable both = concat({x, more}, 2);
  const std::int64_t keys = x.size(2), all = both.size(2), added = more.size(2);
  if (!lengths.defined() || added == 0) return both;
  const KeyValueCache::Fill fill{.size = keys, .lengths = lengths};
  const std::int64_t after = std::max(keys, fill.longest() + added);
  // Rows of `both`: a sequence's own, the new ones, and padding, which is what was there or, where
  // nothing was, the last new one once more.
  Ids rows({x.size(0), x.size(1), after});
  std::int32_t* row = rows.mutable_data();
  for (std::int64_t head = 0; head < x.size(0) * x.size(1); ++head) {
    const std::int64_t length = lengths.at({head / x.size(1)});
    for (std::int64_t j = 0; j < after; ++j) {
      std::int64_t from = j < keys ? j : all - 1;
      if (j >= length && j < length + added) from = keys + j - length;
      *row++ = static_cast<std::int32_t>(head * all + from);
    }
  }
  const std::int64_t table = x.size(0) * x.size(1) * all;
  const std::int64_t width = table == 0 ? 0 : both.value().size() / table;
  return reshape(embedding(reshape(both, {table, width}), rows), both.shape().with(2, after));
}

Memory with_more(const Memory& memory, const Variable& keys, const Variable& values) {
  Memory all{.keys = {}, .values = {}, .projected = {}, .data = memory.data, .maker = memory.maker};
  const std::int64_t more = keys.size(2);
  const Ids& lengths = memory.data.lengths;
  all.data.lengths = longer(lengths, more);
  if (recording()) {
    all.keys = with_keys_after(memory.keys, keys, lengths);
    all.values = with_keys_after(memory.values, values, lengths);
    return all;
  }
  const KeyValueCache::Fill fill = memory.fill();
  all.cache = memory.cache;
  if (!all.cache || !all.cache->append(fill, keys.value(), values.value())) {
    all.cache =
        std::make_shared<KeyValueCache>(memory.keys.value(), memory.values.value(), more, lengths);
    all.cache->append(fill, keys.value(), values.value());
  }
  const std::int64_t size = std::max(fill.size, fill.longest() + more);
  all.keys = all.cache->keys(size);
  all.values = all.cache->values(size);
  return all;
}

Memory Memory::reordered(const Ids& rows) const {
  if (rows.rank() != 1) {
    throw UsageError("memory: rows of shape {}; reordered takes one row number per beam",
                     rows.shape().text());
  }
  const bool cached = cache && !recording();
  const KeyData of_rows{.lengths = rows_of(data.lengths, rows),
                        .segments = rows_of(data.segments, rows)};
  const std::shared_ptr<KeyValueCache> mine =
      cached ? cache->rows(rows, {.size = size(), .lengths = of_rows.lengths}) : nullptr;
  Memory other{.keys = mine ? Variable(mine->keys(size())) : attention::rows_of(keys, rows),
               .values = mine ? Variable(mine->values(size())) : attention::rows_of(values, rows),
               .projected = {},
               .data = of_rows,
               .cache = mine,
               .sums = attention::rows_of(sums, rows),
               .summed = summed,
               .maker = maker};
  for (const Variables& group : projected) {
    Variables mine;
    for (const Variable& one : group) {
      mine.push_back(same_elements(one, keys) ? other.keys : attention::rows_of(one, rows));
    }
    other.projected.push_back(std::move(mine));
  }
  return other;
}

Memory Memory::detached() const {
  const auto value = [](const Variable& x) { return Variable(x.value()); };
  Memory other = *this;
  other.keys = value(keys);
  other.values = value(values);
  other.sums = value(sums);
  for (Variables& group : other.projected) {
    for (Variable& one : group) one = value(one);
  }
  return other;
}

}  // namespace heed::attention
