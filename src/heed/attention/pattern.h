// SPDX-License-Identifier: Apache-2.0
// Pattern: which keys a query may see. It answers for whole tiles and for single rows, in absolute
// positions, and never costs memory of the size Q x K.
//
//   struct Causal {
//     static Card card();
//     void declare(Options& options);
//     // Bound to one call's sizes and data, it answers questions.
//     std::unique_ptr<BoundPattern> bind(const PatternCall& call) const;
//   };
//   const ListedPattern<Causal> kListed;
#pragma once  // public header

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/attention/written/card.h"
#include "heed/attention/written/catalogue.h"
#include "heed/kernels/attention/attention.h"

#pragma GCC visibility push(default)  // exported

namespace heed::attention {

struct Range {
  std::int64_t begin = 0;
  std::int64_t end = 0;  // one past the last
  std::int64_t size() const { return end - begin; }
};

// Keys begin, begin + step, ... below end.
struct KeyRun {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t step = 1;
};

// What a tile allows: of a pattern here, of a mask in the fused kernels.
using kernels::TileCover;

// One call of attend: sizes, where the first query is, and the data some patterns need, which
// must outlive what is bound to it.
struct PatternCall {
  std::int64_t batch = 1;
  std::int64_t heads = 1;
  std::int64_t first_head = 0;      // of all heads of the mechanism, where groups of heads differ
  std::int64_t first_sequence = 0;  // of the whole batch, where parts of it attend apart
  std::int64_t queries = 0;
  std::int64_t keys = 0;
  // The position of query 0: a step against a cache of n keys has first_query = n. Query row i
  // is at position first_query + i, key j at position j.
  std::int64_t first_query = 0;
  // The number of queries of the whole sequence, for patterns aligned at the end; 0: first_query +
  // queries.
  std::int64_t total_queries = 0;
  // The number of keys of the whole sequence, for patterns aligned at the end or drawn at random
  // from all of it; 0: keys. A step that knows it sees what the row of the full computation sees.
  std::int64_t total_keys = 0;
  std::span<const std::int32_t> lengths = {};  // [batch] keys that are not padding; empty: all
  std::span<const std::int32_t> query_segments = {};  // [batch, queries]
  std::span<const std::int32_t> key_segments = {};    // [batch, keys]
  std::span<const std::uint8_t> mask =
      {};                       // [mask_batch, mask_heads, queries, keys], non-zero: allowed
  std::int64_t mask_batch = 1;  // 1 or batch
  std::int64_t mask_heads = 1;  // 1 or heads
  std::span<const double> centres = {};  // [batch, heads, queries], of a bias

  std::int64_t all_queries() const {
    return total_queries > 0 ? total_queries : first_query + queries;
  }
  std::int64_t all_keys() const { return total_keys > 0 ? total_keys : keys; }
};

// Throws UsageError naming the part unless the sizes of a call can be meant.
void check_sizes(std::string_view part, const PatternCall& call);

// The same unless data of the call that a part needs has the size it should have: "local_p: centres
// has 3 values; [batch, heads, queries] is [2, 4, 5]".
void check_data(std::string_view part, std::string_view data, std::size_t size,
                std::string_view axes, std::initializer_list<std::int64_t> shape);

// Query indices are rows of this call (0 .. queries - 1), key indices 0 .. keys - 1.
class BoundPattern {
 public:
  virtual ~BoundPattern() = default;
  // What the tile allows: nothing, everything, or some of it. `mixed` is always a right answer;
  // `empty` and `full` must be true. Ranges are not empty and lie inside the call.
  virtual TileCover classify(std::int64_t batch, std::int64_t head, Range queries,
                             Range keys) const = 0;
  // Replaces what `runs` holds by the allowed keys of one query in ascending order: every run has a
  // key and ends after its last one, none begins before the one in front of it ends, and runs that
  // touch have different steps.
  virtual void runs(std::int64_t batch, std::int64_t head, std::int64_t query,
                    std::vector<KeyRun>& runs) const = 0;
  // Whether all sequences of the batch, and all heads, see the same keys; then one answer serves
  // many. `false` is always right.
  virtual bool alike_in_batch() const { return false; }
  virtual bool alike_in_heads() const { return false; }
};

class Pattern {
 public:
  virtual ~Pattern() = default;
  virtual std::string written() const = 0;
  virtual std::unique_ptr<Pattern> clone() const = 0;
  // Throws UsageError naming the part when the call lacks the data it needs or sizes do not fit.
  virtual std::unique_ptr<BoundPattern> bind(const PatternCall& call) const = 0;
  // Whether it restricts keys by this data of the call.
  virtual bool reads(Given) const { return false; }
  // Whether what a query sees are always the first keys, up to some number of them.
  virtual bool shows_first_keys() const { return false; }
  // Whether what a query sees of some keys depends on how many come after them, padding included.
  virtual bool counts_keys() const { return false; }
};

// A part of the catalogue, as opposed to a combination of parts.
class NamedPattern : public Pattern {
 public:
  virtual const Card& card() const = 0;
  virtual void declare(Options& options) = 0;
};

template <Part P>
class PatternPart final : public NamedPattern {
 public:
  explicit PatternPart(P part = {}) : part_(std::move(part)) {}
  const Card& card() const override {
    static const Card card = P::card();
    return card;
  }
  void declare(Options& options) override { part_.declare(options); }
  std::string written() const override { return written_form(part_); }
  std::unique_ptr<Pattern> clone() const override { return std::make_unique<PatternPart>(part_); }
  std::unique_ptr<BoundPattern> bind(const PatternCall& call) const override {
    check_sizes(card().name, call);
    return part_.bind(call);
  }
  bool reads(Given given) const override {
    return std::ranges::find(card().reads, given) != card().reads.end();
  }
  bool shows_first_keys() const override {
    return std::ranges::find(card().promises, Promise::first_keys) != card().promises.end();
  }
  bool counts_keys() const override {
    if constexpr (requires { part_.counts_keys(); }) return part_.counts_keys();
    return false;
  }

 private:
  P part_;
};

template <Part P>
struct ListedPattern {
  ListedPattern() {
    Catalogue<NamedPattern>::add({P::card(), [] { return std::make_unique<PatternPart<P>>(); }});
  }
};

}  // namespace heed::attention

#pragma GCC visibility pop
