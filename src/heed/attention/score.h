// SPDX-License-Identifier: Apache-2.0
// Score: how well each key answers the query. B batch, H heads, G key heads (H is a multiple of G;
// G < H is grouped or multi-query attention), Q queries, K keys, D features.
//
//   struct Dot {
//     static Card card();
//     void declare(Options&) {}
//     Variable score(const Variable& query, const Variable& keys, const ScoreCall&) const;
//   };
//   const ListedScore<Dot> kListed;
//
// A score with parameters adds build() and visit(); one that works on projected keys adds
// project(). One that is a product of something made of the query with the projected keys gives
// dot_query() instead of score(), and the fused kernels serve it. One that is additive adds
// additive_query(), likewise.
#pragma once  // public header

#include <memory>
#include <optional>
#include <string>

#include "heed/attention/compose/products.h"
#include "heed/attention/state.h"
#include "heed/attention/written/card.h"
#include "heed/attention/written/catalogue.h"
#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/base/random.h"
#include "heed/nn/module.h"

#pragma GCC visibility push(default)  // exported

namespace heed::attention {

struct ScoreShape {
  std::int64_t query_width = 0;
  std::int64_t key_width = 0;
  std::int64_t heads = 1;
  std::int64_t key_heads = 1;
};
// For a score that multiplies or compares them as they are: UsageError unless the widths are equal.
inline void require_equal_widths(const char* score, const ScoreShape& shape) {
  if (shape.query_width == shape.key_width) return;
  throw UsageError(
      "{}: queries of width {} and keys of width {}; make them equal, or take a score that has "
      "weights between them (heed mechanisms lists all)",
      score, shape.query_width, shape.key_width);
}

struct ScoreCall {
  std::int64_t first_query = 0;  // the position of query 0
  const AttentionState& state;   // as it was before query 0
  Variable hidden{};             // what this score remembered; not defined: nothing yet
  Ids lengths{};                 // [B], keys that are not padding; not defined: all
  Variable keys{};               // [B,G,K,D] before project(); not defined: not to be had
};

// A score written as scale x query . key: query [B,H,Q,D] fits the projected keys.
struct DotQuery {
  Variable query;
  Real scale = 1;
};

// A score written as v . activation(query + key): query [B,H,Q,S] fits the projected keys, v [S] or
// [H,S].
struct AdditiveQuery {
  Variable query;
  Variable v;
  Activation activation = Activation::tanh;
};

class Score {
 public:
  virtual ~Score() = default;
  virtual const Card& card() const = 0;
  virtual void declare(Options& options) = 0;
  virtual std::string written() const = 0;
  virtual std::unique_ptr<Score> clone() const = 0;

  // Makes the parameters; UsageError naming the part when the widths do not fit it.
  virtual void build(const ScoreShape& shape, Random& random) = 0;
  virtual void visit(nn::ParameterVisitor& visitor) = 0;
  // keys [B,G,K,D] -> what score() wants of them, keys along axis 2. Called once per memory. A
  // score that does not look at each key alone gets zeros for padding.
  virtual Variable project(const Variable& keys) const = 0;
  // Whether project() looks at each key alone, so that a memory may grow by projecting only what is
  // new.
  virtual bool grows() const = 0;
  // query [B,H,Q,D], projected keys -> scores [B,H,Q,K]
  virtual Variable score(const Variable& query, const Variable& keys,
                         const ScoreCall& call) const = 0;
  // What score() multiplies the projected keys with, where that is all it does.
  virtual std::optional<DotQuery> dot_query(const Variable& query) const = 0;
  // What score() adds to the projected keys, where the score is additive and nothing else.
  virtual std::optional<AdditiveQuery> additive_query(const Variable& query) const = 0;
  // Whether it reads the state: then queries come one at a time.
  virtual bool looks_back() const = 0;
  // What this score remembers itself after a step with these weights [B,H,K], given what it
  // remembered before it; not defined: nothing.
  virtual Variable remember(const Variable& hidden, const Variable& weights) const = 0;
};

template <Part P>
class ScorePart final : public Score {
 public:
  explicit ScorePart(P part = {}) : part_(std::move(part)) {}
  const Card& card() const override {
    static const Card card = P::card();
    return card;
  }
  void declare(Options& options) override { part_.declare(options); }
  std::string written() const override { return written_form(part_); }
  std::unique_ptr<Score> clone() const override { return std::make_unique<ScorePart>(part_); }
  void build(const ScoreShape& shape, Random& random) override {
    if constexpr (requires { part_.build(shape, random); }) part_.build(shape, random);
  }
  void visit(nn::ParameterVisitor& visitor) override {
    if constexpr (requires { part_.visit(visitor); }) part_.visit(visitor);
  }
  Variable project(const Variable& keys) const override {
    if constexpr (requires { part_.project(keys); }) return part_.project(keys);
    return keys;
  }
  bool grows() const override {
    if constexpr (requires { P::kGrows; }) return P::kGrows;
    return true;
  }
  Variable score(const Variable& query, const Variable& keys,
                 const ScoreCall& call) const override {
    if constexpr (requires { part_.dot_query(query); }) {
      // The query is scaled, not the scores: there is less of it.
      const DotQuery dot = part_.dot_query(query);
      return dot_products(dot.scale == 1 ? dot.query : dot.query * dot.scale, keys);
    } else {
      return part_.score(query, keys, call);
    }
  }
  std::optional<DotQuery> dot_query(const Variable& query) const override {
    if constexpr (requires { part_.dot_query(query); }) return part_.dot_query(query);
    return std::nullopt;
  }
  std::optional<AdditiveQuery> additive_query(const Variable& query) const override {
    if constexpr (requires { part_.additive_query(query); }) return part_.additive_query(query);
    return std::nullopt;
  }
  bool looks_back() const override {
    if constexpr (requires { P::kLooksBack; }) return P::kLooksBack;
    return false;
  }
  Variable remember(const Variable& hidden, const Variable& weights) const override {
    if constexpr (requires { part_.remember(hidden, weights); }) {
      return part_.remember(hidden, weights);
    }
    return {};
  }

 private:
  P part_;
};

template <Part P>
struct ListedScore {
  ListedScore() {
    Catalogue<Score>::add({P::card(), [] { return std::make_unique<ScorePart<P>>(); }});
  }
};

}  // namespace heed::attention

#pragma GCC visibility pop
