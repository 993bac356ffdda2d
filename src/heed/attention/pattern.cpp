// SPDX-License-Identifier: Apache-2.0
// What every pattern checks of the call it is bound to.
#include "heed/attention/pattern.h"

#include <fmt/ranges.h>

#include "heed/base/error.h"

namespace heed::attention {

void check_sizes(std::string_view part, const PatternCall& call) {
  // Positions are added and multiplied by steps in 64 bits: below 2^40 nothing runs over.
  constexpr std::int64_t kMost = std::int64_t{1} << 40;
  const auto check = [&](std::string_view name, std::int64_t size) {
    if (size < 0 || size > kMost) {
      throw UsageError("{}: {} is {}: it takes a whole number from 0 to 2^40", part, name, size);
    }
  };
  check("batch", call.batch);
  check("heads", call.heads);
  check("queries", call.queries);
  check("keys", call.keys);
  check("first_query", call.first_query);
  check("total_queries", call.total_queries);
  check("total_keys", call.total_keys);
  if (call.all_queries() < call.first_query + call.queries) {
    throw UsageError("{}: total_queries is {}, but the call's last query is at position {}", part,
                     call.total_queries, call.first_query + call.queries - 1);
  }
  if (call.all_keys() < call.keys) {
    throw UsageError("{}: total_keys is {}, but the call has {} keys", part, call.total_keys,
                     call.keys);
  }
}

void check_data(std::string_view part, std::string_view data, std::size_t size,
                std::string_view axes, std::initializer_list<std::int64_t> shape) {
  double wanted = 1;  // 2^160 at most: no product runs over
  for (const std::int64_t extent : shape) wanted *= static_cast<double>(extent);
  if (static_cast<double>(size) == wanted) return;
  throw UsageError("{}: {} has {} values; [{}] is [{}]", part, data, size, axes,
                   fmt::join(shape, ", "));
}

}  // namespace heed::attention
