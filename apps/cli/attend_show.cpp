// SPDX-License-Identifier: Apache-2.0
// A screenful or two, never a flood.
#include "cli/attend_show.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/insight/terminal/heatmap.h"

namespace heed::cli {
namespace {

constexpr std::int64_t kMostHeatmaps = 8;
constexpr std::int64_t kMostQueries = 32;
constexpr std::int64_t kMostKeys = 32;

struct Place {
  std::int64_t sequence = 0;
  std::int64_t head = 0;
};

Place parse_place(const std::string& text, std::int64_t sequences, std::int64_t heads) {
  const auto words = split(text, ',');
  if (words.size() != 2 || words[0].empty() || words[1].empty()) {
    throw UsageError("--show-only is \"{}\": it takes SEQUENCE,HEAD, such as 0,0", text);
  }
  const Place place{parse_integer(words[0], "--show-only"), parse_integer(words[1], "--show-only")};
  if (place.sequence < 0 || place.sequence >= sequences || place.head < 0 || place.head >= heads) {
    throw UsageError("--show-only is \"{}\": sequences are 0 to {}, heads 0 to {}", text,
                     sequences - 1, heads - 1);
  }
  return place;
}

void print(const attend::Answer& answer, const Place& place, std::int64_t queries,
           std::int64_t keys) {
  const Tensor rows = answer.weights.select(0, place.sequence)
                          .select(0, place.head)
                          .slice(0, 0, queries)
                          .slice(1, 0, keys);
  fmt::print("{}", insight::heatmap(rows, {.screen = insight::screen_of(STDOUT_FILENO)}));
  for (const attend::HeadStructure& one : answer.structures) {
    if (one.sequence != place.sequence || one.head != place.head || one.query >= queries) continue;
    fmt::print("{}", attend::written(one));
  }
}

}  // namespace

void check_shown(const std::string& only, std::int64_t sequences, std::int64_t heads) {
  if (!only.empty()) parse_place(only, sequences, heads);
}

void show_weights(const attend::Answer& answer, const std::string& only) {
  const Tensor& weights = answer.weights;
  const std::int64_t sequences = weights.size(0), heads = weights.size(1);
  const std::int64_t queries = weights.size(2), keys = weights.size(3);
  if (queries == 0 || keys == 0) {
    fmt::print("{} queries and {} keys: there are no weights to show\n", queries, keys);
    return;
  }
  if (!only.empty()) return print(answer, parse_place(only, sequences, heads), queries, keys);
  const std::int64_t count = sequences * heads;
  const std::int64_t shown = std::min(count, kMostHeatmaps);
  for (std::int64_t i = 0; i < shown; ++i) {
    const Place place{i / heads, i % heads};
    if (count > 1) fmt::print("sequence {}, head {}\n", place.sequence, place.head);
    print(answer, place, std::min(queries, kMostQueries), std::min(keys, kMostKeys));
  }
  if (shown == count && queries <= kMostQueries && keys <= kMostKeys) return;
  fmt::print(
      "shown: {} of {} heatmaps, {} of {} queries, {} of {} keys; "
      "--show-only SEQUENCE,HEAD shows one whole\n",
      shown, count, std::min(queries, kMostQueries), queries, std::min(keys, kMostKeys), keys);
}

}  // namespace heed::cli
