// SPDX-License-Identifier: Apache-2.0
// Bias: changes the scores in written order; may also scale the weights after the normaliser
// (gaussian) and add to the context (the value side of shaw). Letters as in score.h.
//
//   struct SoftCap {
//     static Card card();
//     void declare(Options& options);
//     TileChange tile_change(const BiasCall& call) const;
//   };
//   const ListedBias<SoftCap> kListed;
//
// One whose changed score does not come from the score in its place alone gives transform()
// instead, and is served by the composition only, unless what it adds is a product: then it gives
// that as added_product() as well.
#pragma once  // public header

#include <memory>
#include <optional>
#include <string>

#include "heed/attention/compose/score_change.h"
#include "heed/attention/written/card.h"
#include "heed/attention/written/catalogue.h"
#include "heed/base/random.h"
#include "heed/nn/module.h"

#pragma GCC visibility push(default)  // exported

namespace heed::attention {

struct BiasShape {
  std::int64_t query_width = 0;
  std::int64_t key_width = 0;
  std::int64_t value_width = 0;
  std::int64_t heads = 1;
  std::int64_t key_heads = 1;
};

struct BiasCall {
  const Variable& query;  // [B,H,Q,D]
  const Variable& keys;   // [B,G,K,D], not projected
  // The shape of the scores.
  std::int64_t batch() const { return query.size(0); }
  std::int64_t heads() const { return query.size(1); }
  std::int64_t queries() const { return query.size(2); }
  std::int64_t key_count() const { return keys.size(2); }

  std::int64_t first_query = 0;  // the position of query 0
  std::int64_t first_head = 0;   // of all heads of the mechanism, where groups of heads differ
  std::int64_t all_heads = 1;
  Tensor given{};  // [B or 1, H or 1, Q, K]: the user's own numbers (`tensor`)
  Ids lengths{};   // [B], keys that are not padding; not defined: all
};

// What a bias adds to the score of query i and key j where that is to_query_i . k_j + query_i .
// r_j, with features r of its own for the place of each key. The fused kernel then takes longer
// queries and keys, and nothing of the size Q x K is made.
struct AddedProduct {
  Variable to_query;  // [B,H,Q,D]
  Variable query;     // [B,H,Q,E]
  Tensor keys;        // [K,E]
};

class Bias {
 public:
  virtual ~Bias() = default;
  virtual const Card& card() const = 0;
  virtual void declare(Options& options) = 0;
  virtual std::string written() const = 0;
  virtual std::unique_ptr<Bias> clone() const = 0;

  virtual void build(const BiasShape& shape, Random& random) = 0;
  virtual void visit(nn::ParameterVisitor& visitor) = 0;
  // scores [B,H,Q,K] -> scores
  virtual Variable transform(const Variable& scores, const BiasCall& call) const = 0;
  // The same tile by tile, where that is all the bias does.
  virtual std::optional<TileChange> tile_change(const BiasCall& call) const = 0;
  // The same as a product, where that is all the bias does.
  virtual std::optional<AddedProduct> added_product(const BiasCall& call) const = 0;
  // weights [B,H,Q,K] -> weights; need not sum to one afterwards
  virtual Variable scale_weights(const Variable& weights, const BiasCall& call) const = 0;
  // What to add to the context [B,H,Q,Dv]; not defined: nothing
  virtual Variable add_to_context(const Variable& weights, const BiasCall& call) const = 0;
  // The centre each query looks at [B,H,Q], where the card says that it gives centres; not defined:
  // none
  virtual Variable centres(const BiasCall& call) const = 0;
};

template <Part P>
class BiasPart final : public Bias {
 public:
  explicit BiasPart(P part = {}) : part_(std::move(part)) {}
  const Card& card() const override {
    static const Card card = P::card();
    return card;
  }
  void declare(Options& options) override { part_.declare(options); }
  std::string written() const override { return written_form(part_); }
  std::unique_ptr<Bias> clone() const override { return std::make_unique<BiasPart>(part_); }
  void build(const BiasShape& shape, Random& random) override {
    if constexpr (requires { part_.build(shape, random); }) part_.build(shape, random);
  }
  void visit(nn::ParameterVisitor& visitor) override {
    if constexpr (requires { part_.visit(visitor); }) part_.visit(visitor);
  }
  Variable transform(const Variable& scores, const BiasCall& call) const override {
    if constexpr (requires { part_.tile_change(call); }) {
      return apply(part_.tile_change(call), scores);
    } else if constexpr (requires { part_.transform(scores, call); }) {
      return part_.transform(scores, call);
    } else {
      return scores;
    }
  }
  std::optional<TileChange> tile_change(const BiasCall& call) const override {
    if constexpr (requires { part_.tile_change(call); }) return part_.tile_change(call);
    return std::nullopt;
  }
  std::optional<AddedProduct> added_product(const BiasCall& call) const override {
    if constexpr (requires { part_.added_product(call); }) return part_.added_product(call);
    return std::nullopt;
  }
  Variable scale_weights(const Variable& weights, const BiasCall& call) const override {
    if constexpr (requires { part_.scale_weights(weights, call); }) {
      return part_.scale_weights(weights, call);
    }
    return weights;
  }
  Variable add_to_context(const Variable& weights, const BiasCall& call) const override {
    if constexpr (requires { part_.add_to_context(weights, call); }) {
      return part_.add_to_context(weights, call);
    }
    return {};
  }
  Variable centres(const BiasCall& call) const override {
    if constexpr (requires { part_.centres(call); }) return part_.centres(call);
    return {};
  }

 private:
  P part_;
};

template <Part P>
struct ListedBias {
  ListedBias() {
    Catalogue<Bias>::add({P::card(), [] { return std::make_unique<BiasPart<P>>(); }});
  }
};

}  // namespace heed::attention

#pragma GCC visibility pop
