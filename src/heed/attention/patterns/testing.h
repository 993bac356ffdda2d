// SPDX-License-Identifier: Apache-2.0
// Helpers of tests: patterns by their written options, calls with data of every kind, and a pattern
// held against the definition it claims to follow.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "heed/attention/pattern.h"
#include "heed/base/random.h"

namespace heed::attention::test {

// `window` with {{"left", "3"}}; a value without a name stands for the first option not given.
inline std::unique_ptr<Pattern> make_pattern(const std::string& name,
                                             const std::vector<Argument>& arguments = {}) {
  const auto* entry = Catalogue<NamedPattern>::find(name);
  EXPECT_NE(entry, nullptr) << name;
  auto pattern = entry->make();
  Options options;
  pattern->declare(options);
  set_options(options, name, arguments);
  return pattern;
}

// Whether a query at a position sees a key: a pattern's definition, written without its code.
using Rule = std::function<bool(std::int64_t batch, std::int64_t head, std::int64_t position,
                                std::int64_t key)>;

inline bool is_in_promised_form(const std::vector<KeyRun>& runs, std::int64_t keys) {
  std::int64_t end = 0;
  std::int64_t last_step = 0;
  for (const KeyRun& run : runs) {
    const bool touches = end > 0 && run.begin == end - 1 + run.step;
    if (run.step < 1 || run.begin < end || run.end <= run.begin || run.end > keys ||
        (run.end - 1 - run.begin) % run.step != 0 || (touches && run.step == last_step)) {
      return false;
    }
    end = run.end;
    last_step = run.step;
  }
  return true;
}

// One row as flags, and a failure when its runs are not as BoundPattern promises.
inline std::vector<char> row_of(const BoundPattern& bound, const PatternCall& call,
                                std::int64_t batch, std::int64_t head, std::int64_t query) {
  std::vector<KeyRun> runs = {{7, 9, 2}};  // must go away
  bound.runs(batch, head, query, runs);
  EXPECT_TRUE(is_in_promised_form(runs, call.keys));
  std::vector<char> row(static_cast<std::size_t>(call.keys), 0);
  for (const KeyRun& run : runs) {
    for (std::int64_t key = run.begin; key < run.end && key < call.keys; key += run.step) {
      row[static_cast<std::size_t>(key)] = 1;
    }
  }
  return row;
}

using Mask = std::vector<std::vector<char>>;

inline Mask mask_of(const Pattern& pattern, const PatternCall& call, std::int64_t batch = 0,
                    std::int64_t head = 0) {
  const auto bound = pattern.bind(call);
  Mask mask;
  for (std::int64_t query = 0; query < call.queries; ++query) {
    mask.push_back(row_of(*bound, call, batch, head, query));
  }
  return mask;
}

// What a tile of a mask really holds.
inline TileCover cover_of(const Mask& mask, Range queries, Range keys) {
  std::int64_t allowed = 0;
  for (std::int64_t query = queries.begin; query < queries.end; ++query) {
    const auto& row = mask[static_cast<std::size_t>(query)];
    allowed += std::count(row.begin() + keys.begin, row.begin() + keys.end, 1);
  }
  if (allowed == 0) return TileCover::empty;
  return allowed == queries.size() * keys.size() ? TileCover::full : TileCover::mixed;
}

// Cuts queries and keys into tiles, some larger than the call and some of one cell.
template <typename Visit>
void for_each_tile(const PatternCall& call, Visit&& visit) {
  for (const auto& [height, width] :
       {std::pair<std::int64_t, std::int64_t>{1, 1}, {1, 5}, {4, 4}, {3, 8}, {16, 7}, {64, 64}}) {
    for (std::int64_t query = 0; query < call.queries; query += height) {
      for (std::int64_t key = 0; key < call.keys; key += width) {
        visit(Range{query, std::min(query + height, call.queries)},
              Range{key, std::min(key + width, call.keys)});
      }
    }
  }
}

enum class Sharpness { exact, allowed_to_say_mixed };

// Rows equal the rule, and tiles are classified as the rows say.
inline void expect_follows(const Pattern& pattern, const PatternCall& call, const Rule& rule,
                           Sharpness sharpness = Sharpness::exact) {
  SCOPED_TRACE(fmt::format("{}: {} queries from {}, {} keys", pattern.written(), call.queries,
                           call.first_query, call.keys));
  const auto bound = pattern.bind(call);
  for (std::int64_t batch = 0; batch < call.batch; ++batch) {
    for (std::int64_t head = 0; head < call.heads; ++head) {
      const Mask mask = mask_of(pattern, call, batch, head);
      for (std::int64_t query = 0; query < call.queries; ++query) {
        for (std::int64_t key = 0; key < call.keys; ++key) {
          const bool allowed =
              mask[static_cast<std::size_t>(query)][static_cast<std::size_t>(key)] != 0;
          ASSERT_EQ(allowed, rule(batch, head, call.first_query + query, key))
              << "query " << query << ", key " << key;
        }
      }
      for_each_tile(call, [&](Range queries, Range keys) {
        const TileCover truth = cover_of(mask, queries, keys);
        const TileCover said = bound->classify(batch, head, queries, keys);
        const bool unsure =
            said == TileCover::mixed && sharpness == Sharpness::allowed_to_say_mixed;
        EXPECT_TRUE(said == truth || unsure)
            << "queries " << queries.begin << " to " << queries.end << ", keys " << keys.begin
            << " to " << keys.end << ": " << static_cast<int>(said) << ", not "
            << static_cast<int>(truth);
      });
    }
  }
}

// The same over calls of many sizes, steps against a cache among them.
inline void expect_follows_everywhere(const Pattern& pattern, const Rule& rule) {
  for (const std::int64_t queries : {0, 1, 2, 13, 40}) {
    for (const std::int64_t keys : {0, 1, 7, 32, 45}) {
      for (const std::int64_t first : {0, 1, 6, 31, 60}) {
        expect_follows(pattern, {.queries = queries, .keys = keys, .first_query = first}, rule);
      }
    }
  }
}

}  // namespace heed::attention::test
