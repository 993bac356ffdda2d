// SPDX-License-Identifier: Apache-2.0
// Memories of other rows of the batch: beams that survive, sentences that continue.
#include "heed/attention/memory.h"

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

Memory with_more(const Memory& memory, const Variable& keys, const Variable& values) {
  Memory all{.keys = {}, .values = {}, .projected = {}, .data = memory.data, .maker = memory.maker};
  if (recording()) {
    all.keys = concat({memory.keys, keys}, 2);
    all.values = concat({memory.values, values}, 2);
    return all;
  }
  const std::int64_t more = keys.size(2);
  all.cache = memory.cache;
  if (!all.cache || !all.cache->append(memory.size(), keys.value(), values.value())) {
    all.cache = std::make_shared<KeyValueCache>(memory.keys.value(), memory.values.value(), more);
    all.cache->append(memory.size(), keys.value(), values.value());
  }
  all.keys = all.cache->keys(memory.size() + more);
  all.values = all.cache->values(memory.size() + more);
  return all;
}

Memory Memory::reordered(const Ids& rows) const {
  if (rows.rank() != 1) {
    throw UsageError("memory: rows of shape {}; reordered takes one row number per beam",
                     rows.shape().text());
  }
  const bool cached = cache && !recording();
  const std::shared_ptr<KeyValueCache> mine = cached ? cache->rows(rows, size()) : nullptr;
  Memory other{
      .keys = mine ? Variable(mine->keys(size())) : attention::rows_of(keys, rows),
      .values = mine ? Variable(mine->values(size())) : attention::rows_of(values, rows),
      .projected = {},
      .data = {.lengths = rows_of(data.lengths, rows), .segments = rows_of(data.segments, rows)},
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
