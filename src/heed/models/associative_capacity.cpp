// SPDX-License-Identifier: Apache-2.0
// Damage, and counting what comes back.
#include "heed/models/associative_capacity.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "heed/base/error.h"
#include "heed/base/threads.h"
#include "heed/models/associative_random.h"

namespace heed::models {
namespace {

// The first `count` patterns of a memory, each damaged once.
void count_recalls(const AssociativeMemory& memory, std::int64_t count,
                   const CapacityOptions& options, Random& random, CapacityPoint& point) {
  std::vector<MemoryPattern> queries;
  for (std::int64_t i = 0; i < count; ++i) {
    queries.push_back(
        damaged(memory.patterns()[static_cast<std::size_t>(i)], options.damage, random));
  }
  std::vector<double> wrong(queries.size());
  // A recall takes some ten passes over the patterns; less than a million products are not worth
  // waking a thread for.
  const std::size_t grain = 1 + 100'000 / (memory.patterns().size() * memory.units());
  parallel_for(queries.size(), grain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Recollection found = recall(memory, queries[i], options.steps);
      wrong[i] = wrong_share(found.steps.back().state, memory.patterns()[i]);
    }
  });
  for (const double share : wrong) {
    ++point.recalls;
    point.exact += share == 0 ? 1 : 0;
    point.wrong_units += share;
  }
}

void check(std::int64_t patterns, const CapacityOptions& options) {
  if (patterns < 1 || options.units < 1 || options.recalls < 1) {
    throw UsageError("capacity: {} patterns of {} units, {} recalls; each takes 1 or more",
                     patterns, options.units, options.recalls);
  }
}

}  // namespace

MemoryPattern damaged(MemoryPattern pattern, const Damage& damage, Random& random) {
  if (!(damage.flip >= 0 && damage.flip <= 1)) {
    throw UsageError("damage: {} of the units turned; it takes 0 to 1", damage.flip);
  }
  const auto size = std::ssize(pattern);
  if (damage.rows < 1 || size % damage.rows != 0) {
    throw UsageError("damage: {} units are no {} rows of a picture", size, damage.rows);
  }
  const std::int64_t rows = damage.rows, columns = size / rows;
  std::vector<std::size_t> order(pattern.size());
  std::iota(order.begin(), order.end(), 0);
  random.shuffle(order);
  order.resize(static_cast<std::size_t>(std::lround(damage.flip * static_cast<double>(size))));
  for (const std::size_t unit : order) pattern[unit] = -pattern[unit];
  const bool down = damage.hide == HiddenSide::top || damage.hide == HiddenSide::bottom;
  if (damage.hide != HiddenSide::none && (down ? rows : columns) < 2) {
    throw UsageError("damage: a picture of {} rows and {} columns has no half to hide there", rows,
                     columns);
  }
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < columns; ++column) {
      const bool hidden = (damage.hide == HiddenSide::top && row < rows / 2) ||
                          (damage.hide == HiddenSide::bottom && row >= rows / 2) ||
                          (damage.hide == HiddenSide::left && column < columns / 2) ||
                          (damage.hide == HiddenSide::right && column >= columns / 2);
      if (hidden) pattern[static_cast<std::size_t>(row * columns + column)] = 0;
    }
  }
  return pattern;
}

CapacityPoint capacity(std::int64_t patterns, const CapacityOptions& options,
                       std::span<const MemoryPattern> own) {
  check(patterns, options);
  if (!own.empty() && patterns > std::ssize(own)) {
    throw UsageError("capacity: {} patterns asked for, and there are {}", patterns, own.size());
  }
  CapacityPoint point{.patterns = patterns};
  // A stream for each size: what one gives does not hang on which others are asked for.
  Random random(options.seed, static_cast<std::uint64_t>(patterns));
  do {
    const auto memory = make_associative_memory(
        own.empty() ? random_patterns(patterns, options.units, random)
                    : std::vector<MemoryPattern>(own.begin(), own.begin() + patterns),
        options.memory);
    const std::int64_t left = options.recalls - point.recalls;
    count_recalls(*memory, std::min(patterns, left), options, random, point);
  } while (own.empty() && point.recalls < options.recalls);
  point.exact /= static_cast<double>(point.recalls);
  point.wrong_units /= static_cast<double>(point.recalls);
  return point;
}

}  // namespace heed::models
