// SPDX-License-Identifier: Apache-2.0
// Whole mechanisms: attention that has no matrix of scores, or does not factor into score, bias,
// pattern and normaliser. Each is a plain struct in whole/ that lists itself. Letters as in
// score.h.
//
//   struct Linear {
//     static Card card();
//     void declare(Options& options);
//     Variable context(const WholeCall& call) const;
//     Variable weights(const WholeCall& call) const;  // left out: there are none
//     Variable sums(const WholeMemory& memory, const std::vector<std::int64_t>& count) const;
//   };
//   const ListedWhole<Linear> kListed;
//
// One without sums() keeps all keys. One whose queries depend on those before them and have a place
// from query to query keeps them too, and has one function instead of the three:
//
//   WholeWeighed weigh(const WholeCall& call) const;
//
// What it is to its callers it says by constants, each true or left out:
//
//   kMixesKeys                keys are mixed before any query reads them: all queries see the same
//   kMixesQueries             the weights of a query depend on the queries beside it
//   kSharesQueriesAndKeys     queries and keys are to be one projection of the same tokens
//   context_of(weights, call) its context by weights like its own, where these do not simply weigh
//                             the values
//   penalty(call)             what it adds to the loss of a unit in training
#pragma once  // public header

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "heed/attention/attention.h"
#include "heed/attention/compose/products.h"
#include "heed/attention/written/card.h"
#include "heed/attention/written/catalogue.h"
#include "heed/base/error.h"

#pragma GCC visibility push(default)  // exported

namespace heed::attention {

// Keys and values, after `before` others of which only `sums` were kept.
struct WholeMemory {
  const Variable& keys;    // [B,G,K,Dk]
  const Variable& values;  // [B,G,K,Dv]
  const Variable& sums;    // as sums() gave; not defined: there were none before
};

struct WholeCall {
  const Variable& query;  // [B,H,Q,Dq]
  WholeMemory memory;
  // [B,Q]: how many of these keys each query sees, from the first on; -1: none, nor any before.
  std::vector<std::int64_t> visible;
  std::vector<std::int64_t> first{};  // [B], the position of the first query; key j is at j
  // Of those that weigh: what the last call gave as `past`, for all keys of the memory; not defined
  // before the first. And, of all, the noise of training, nullptr without.
  Variable past{};
  Random* noise = nullptr;
};

struct WholeWeighed {
  Variable weights;           // [B,H,Q,K], 0 for keys that a query does not see
  Variable past{};            // [B,H,K]; not defined: queries do not depend on each other
  LookDensities densities{};  // that the weights stand for, of continuous attention
};

// UsageError unless queries and keys, which it multiplies, are as wide.
inline void require_equal_widths(const char* part, const MechanismShape& shape) {
  if (shape.query_width == shape.key_width) return;
  throw UsageError("{}: queries of width {} and keys of width {}; their widths must be equal", part,
                   shape.query_width, shape.key_width);
}

class WholeAttention {
 public:
  virtual ~WholeAttention() = default;
  virtual const Card& card() const = 0;
  virtual void declare(Options& options) = 0;
  virtual std::string written() const = 0;
  virtual std::unique_ptr<WholeAttention> clone() const = 0;

  // Makes the parameters; UsageError naming the part when the widths do not fit it.
  virtual void build(const MechanismShape& shape, Random& random) = 0;
  virtual void visit(nn::ParameterVisitor& visitor) = 0;
  virtual bool gives_weights() const = 0;
  virtual bool mixes_keys() const = 0;
  virtual bool mixes_queries() const = 0;
  virtual bool shares_queries_and_keys() const = 0;
  // [B,H,Q,Dv], zeros for a query that sees no key
  virtual Variable context(const WholeCall& call) const = 0;
  // [B,H,Q,K], the matrix it stands for; only where gives_weights() and nothing came before.
  virtual Variable weights(const WholeCall& call) const = 0;
  // [B,H,Q,Dv], what other weights [B,H,Q,K] in place of its own would read.
  virtual Variable context_of(const Variable& weights, const WholeCall& call) const = 0;
  // What it adds to the loss of a unit in training; not defined: nothing.
  virtual Variable penalty(const WholeCall& call) const = 0;
  // Whether sums() stand for keys that came before.
  virtual bool sums_up() const = 0;
  // [B,...]: all that later queries need of the first `count[b]` of these keys and those before.
  virtual Variable sums(const WholeMemory& memory,
                        const std::vector<std::int64_t>& count) const = 0;

  // Whether weigh() stands for all of the above: its context is weights times values.
  virtual bool weighs() const = 0;
  virtual WholeWeighed weigh(const WholeCall& call) const = 0;
};

template <Part P>
class WholePart final : public WholeAttention {
 public:
  const Card& card() const override {
    static const Card card = P::card();
    return card;
  }
  void declare(Options& options) override { part_.declare(options); }
  std::string written() const override { return written_form(part_); }
  std::unique_ptr<WholeAttention> clone() const override {
    return std::make_unique<WholePart>(*this);
  }
  void build(const MechanismShape& shape, Random& random) override {
    if constexpr (requires { part_.build(shape, random); }) part_.build(shape, random);
  }
  void visit(nn::ParameterVisitor& visitor) override {
    if constexpr (requires { part_.visit(visitor); }) part_.visit(visitor);
  }
  bool gives_weights() const override {
    return weighs() || requires(const P& part, const WholeCall& call) {
      part.weights(call);
    };
  }
  bool mixes_keys() const override {
    return requires {
      P::kMixesKeys;
    };
  }
  bool mixes_queries() const override {
    return requires {
      P::kMixesQueries;
    };
  }
  bool shares_queries_and_keys() const override {
    return requires {
      P::kSharesQueriesAndKeys;
    };
  }
  bool sums_up() const override {
    return requires(const P& part, const WholeMemory& memory,
                    const std::vector<std::int64_t>& count) {
      part.sums(memory, count);
    };
  }
  Variable penalty(const WholeCall& call) const override {
    if constexpr (requires { part_.penalty(call); }) return part_.penalty(call);
    return {};
  }
  Variable context_of(const Variable& weights, const WholeCall& call) const override {
    if constexpr (requires { part_.context_of(weights, call); }) {
      return part_.context_of(weights, call);
    }
    return combine(weights, call.memory.values);
  }
  bool weighs() const override {
    return requires(const P& part, const WholeCall& call) {
      part.weigh(call);
    };
  }
  WholeWeighed weigh(const WholeCall& call) const override {
    if constexpr (requires { part_.weigh(call); }) return part_.weigh(call);
    return {};
  }
  Variable context(const WholeCall& call) const override {
    if constexpr (requires { part_.context(call); }) return part_.context(call);
    return {};
  }
  Variable weights(const WholeCall& call) const override {
    if constexpr (requires { part_.weights(call); }) return part_.weights(call);
    return {};
  }
  Variable sums(const WholeMemory& memory, const std::vector<std::int64_t>& count) const override {
    if constexpr (requires { part_.sums(memory, count); }) return part_.sums(memory, count);
    return {};
  }

 private:
  P part_;
};

template <Part P>
struct ListedWhole {
  ListedWhole() {
    Catalogue<WholeAttention>::add({P::card(), [] { return std::make_unique<WholePart<P>>(); }});
  }
};

}  // namespace heed::attention

#pragma GCC visibility pop
