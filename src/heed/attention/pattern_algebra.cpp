// SPDX-License-Identifier: Apache-2.0
// Patterns combined: the keys that all of several allow, and those that any of them allows.
#include "heed/attention/patterns/pattern_algebra.h"

#include <algorithm>
#include <utility>

#include "heed/attention/patterns/run_list.h"
#include "heed/base/text.h"

namespace heed::attention {
namespace {

enum class Combine { both, either };

template <Combine kCombine>
class BoundCombination final : public BoundPattern {
 public:
  explicit BoundCombination(std::vector<std::unique_ptr<BoundPattern>> parts)
      : parts_(std::move(parts)) {}

  // One empty part empties an intersection, one full part fills a union.
  TileCover classify(std::int64_t batch, std::int64_t head, Range queries,
                     Range keys) const override {
    constexpr bool kBoth = kCombine == Combine::both;
    constexpr TileCover kDecides = kBoth ? TileCover::empty : TileCover::full;
    TileCover result = kBoth ? TileCover::full : TileCover::empty;
    for (const auto& part : parts_) {
      const TileCover one = part->classify(batch, head, queries, keys);
      if (one == kDecides) return kDecides;
      if (one == TileCover::mixed) result = TileCover::mixed;
    }
    return result;
  }

  void runs(std::int64_t batch, std::int64_t head, std::int64_t query,
            std::vector<KeyRun>& runs) const override {
    parts_.front()->runs(batch, head, query, runs);
    RunList one;
    RunList result;
    for (auto part = parts_.begin() + 1; part != parts_.end(); ++part) {
      (*part)->runs(batch, head, query, one);
      kCombine == Combine::both ? intersect(runs, one, result) : unite(runs, one, result);
      runs.swap(result);
    }
  }

  bool alike_in_batch() const override {
    return std::ranges::all_of(parts_, [](const auto& part) { return part->alike_in_batch(); });
  }
  bool alike_in_heads() const override {
    return std::ranges::all_of(parts_, [](const auto& part) { return part->alike_in_heads(); });
  }

 private:
  std::vector<std::unique_ptr<BoundPattern>> parts_;
};

// Both operations are associative: a & (b & c) is kept and written as a & b & c.
template <Combine kCombine>
class Combination final : public Pattern {
 public:
  Combination(std::unique_ptr<Pattern> a, std::unique_ptr<Pattern> b) {
    take(std::move(a));
    take(std::move(b));
  }
  Combination(const Combination& other) {
    for (const auto& part : other.parts_) parts_.push_back(part->clone());
  }
  std::string written() const override {
    std::vector<std::string> texts;
    for (const auto& part : parts_) texts.push_back(part->written());
    return kCombine == Combine::both ? join(texts, " & ") : "(" + join(texts, " | ") + ")";
  }
  std::unique_ptr<Pattern> clone() const override { return std::make_unique<Combination>(*this); }
  std::unique_ptr<BoundPattern> bind(const PatternCall& call) const override {
    std::vector<std::unique_ptr<BoundPattern>> bound;
    for (const auto& part : parts_) bound.push_back(part->bind(call));
    return std::make_unique<BoundCombination<kCombine>>(std::move(bound));
  }
  bool reads(Given given) const override {
    return std::ranges::any_of(parts_, [&](const auto& part) { return part->reads(given); });
  }
  bool shows_first_keys() const override {
    return std::ranges::all_of(parts_, [](const auto& part) { return part->shows_first_keys(); });
  }
  bool counts_keys() const override {
    return std::ranges::any_of(parts_, [](const auto& part) { return part->counts_keys(); });
  }

 private:
  void take(std::unique_ptr<Pattern> part) {
    if (auto* same = dynamic_cast<Combination*>(part.get())) {
      for (auto& inner : same->parts_) parts_.push_back(std::move(inner));
    } else {
      parts_.push_back(std::move(part));
    }
  }
  std::vector<std::unique_ptr<Pattern>> parts_;
};

}  // namespace

std::unique_ptr<Pattern> both(std::unique_ptr<Pattern> a, std::unique_ptr<Pattern> b) {
  return std::make_unique<Combination<Combine::both>>(std::move(a), std::move(b));
}

std::unique_ptr<Pattern> either(std::unique_ptr<Pattern> a, std::unique_ptr<Pattern> b) {
  return std::make_unique<Combination<Combine::either>>(std::move(a), std::move(b));
}

}  // namespace heed::attention
