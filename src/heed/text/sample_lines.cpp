// SPDX-License-Identifier: Apache-2.0
// A seeded sample of lines: Vitter's reservoir (1985, algorithm R).
#include "heed/text/sample_lines.h"

#include <algorithm>
#include <utility>

#include "heed/base/error.h"
#include "heed/base/random.h"
#include "heed/base/text.h"
#include "heed/text/lines.h"
#include "heed/text/white_space.h"

namespace heed::text {
namespace {

constexpr std::uint64_t kStream = 0x53414D50;  // "SAMP": no other stream of the seed

template <typename Item>
class Reservoir {
 public:
  explicit Reservoir(const SampleOptions& options)
      : most_(options.lines), random_(options.seed, kStream) {}

  void offer(Item& item) {
    const std::uint64_t place = seen_++;
    if (most_ == 0 || items_.size() < most_) {
      items_.emplace_back(place, std::move(item));
      return;
    }
    const std::uint64_t chosen = random_.integer(seen_);
    if (chosen < most_) items_[static_cast<std::size_t>(chosen)] = {place, std::move(item)};
  }

  std::vector<Item> in_order() {
    std::ranges::sort(items_, {}, [](const auto& item) { return item.first; });
    std::vector<Item> result;
    result.reserve(items_.size());
    for (auto& [place, item] : items_) result.push_back(std::move(item));
    return result;
  }

 private:
  std::size_t most_;
  Random random_;
  std::uint64_t seen_ = 0;
  std::vector<std::pair<std::uint64_t, Item>> items_;
};

}  // namespace

std::vector<std::string> sample_lines(std::span<const std::filesystem::path> files,
                                      const SampleOptions& options) {
  Reservoir<std::string> reservoir(options);
  std::vector<std::string> names;
  for (const std::filesystem::path& file : files) {
    LineReader reader(file);
    names.push_back(reader.name());
    for (std::string line; reader.next(line);) {
      if (!words_of(line).empty()) reservoir.offer(line);
    }
  }
  std::vector<std::string> lines = reservoir.in_order();
  if (lines.empty()) {
    throw DataError("{}: no line of text; at least one is needed", join(names, ", "));
  }
  return lines;
}

std::vector<LinePair> sample_pairs(PairReader& pairs, const SampleOptions& options) {
  const PairPosition start = pairs.position();
  Reservoir<LinePair> reservoir(options);
  for (LinePair pair; pairs.next(pair);) reservoir.offer(pair);
  std::vector<LinePair> result = reservoir.in_order();
  if (result.empty()) throw pairs.nothing_left();
  pairs.seek(start);
  return result;
}

}  // namespace heed::text
