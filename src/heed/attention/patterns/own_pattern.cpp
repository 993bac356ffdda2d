// SPDX-License-Identifier: Apache-2.0
// Covers and runs read off the tiles that a callable filled.
#include "heed/attention/patterns/own_pattern.h"

#include <algorithm>
#include <vector>

#include "heed/attention/patterns/run_list.h"

namespace heed::attention {
namespace {

using Fill = std::function<void(const MaskTile&)>;

// Larger tiles count as mixed, and are asked about in parts.
constexpr std::int64_t kLargestTile = 64 * 128;

class BoundOwnPattern final : public BoundPattern {
 public:
  BoundOwnPattern(Fill fill, const PatternCall& call)
      : fill_(std::move(fill)),
        keys_(call.keys),
        first_sequence_(call.first_sequence),
        first_head_(call.first_head),
        first_query_(call.first_query) {}

  TileCover classify(std::int64_t batch, std::int64_t head, Range queries,
                     Range keys) const override {
    if (queries.size() * keys.size() > kLargestTile) return TileCover::mixed;
    const std::vector<std::uint8_t>& allowed = ask(batch, head, queries, keys);
    const auto none = std::count(allowed.begin(), allowed.end(), 0);
    if (none == 0) return TileCover::full;
    return none == static_cast<std::ptrdiff_t>(allowed.size()) ? TileCover::empty
                                                               : TileCover::mixed;
  }

  void runs(std::int64_t batch, std::int64_t head, std::int64_t query,
            std::vector<KeyRun>& runs) const override {
    runs.clear();
    if (keys_ == 0) return;
    const std::vector<std::uint8_t>& allowed = ask(batch, head, {query, query + 1}, {0, keys_});
    for (auto begin = allowed.begin(); begin != allowed.end();) {
      begin = std::find_if(begin, allowed.end(), [](std::uint8_t one) { return one != 0; });
      const auto end = std::find(begin, allowed.end(), 0);
      append_run(runs, {begin - allowed.begin(), end - allowed.begin()});
      begin = end;
    }
  }

 private:
  const std::vector<std::uint8_t>& ask(std::int64_t batch, std::int64_t head, Range queries,
                                       Range keys) const {
    thread_local std::vector<std::uint8_t> allowed;
    allowed.assign(static_cast<std::size_t>(queries.size() * keys.size()), 0);
    fill_({.allowed = allowed.data(),
           .rows = queries.size(),
           .columns = keys.size(),
           .batch = first_sequence_ + batch,
           .head = first_head_ + head,
           .query = first_query_ + queries.begin,
           .key = keys.begin});
    return allowed;
  }

  Fill fill_;
  std::int64_t keys_, first_sequence_, first_head_, first_query_;
};

class OwnPattern final : public Pattern {
 public:
  explicit OwnPattern(Fill fill) : fill_(std::move(fill)) {}
  std::string written() const override { return "own"; }
  std::unique_ptr<Pattern> clone() const override { return std::make_unique<OwnPattern>(fill_); }
  std::unique_ptr<BoundPattern> bind(const PatternCall& call) const override {
    check_sizes("own pattern", call);
    return std::make_unique<BoundOwnPattern>(fill_, call);
  }

 private:
  Fill fill_;
};

}  // namespace

std::shared_ptr<const Pattern> own_pattern(std::function<void(const MaskTile&)> fill) {
  return std::make_shared<OwnPattern>(std::move(fill));
}

}  // namespace heed::attention
