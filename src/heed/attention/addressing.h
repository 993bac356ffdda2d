// SPDX-License-Identifier: Apache-2.0
// Addressing: what becomes of the weights after the normaliser. A neural Turing machine moves its
// focus on from where it was (interpolate), along the slots (shift), and gathers it again
// (sharpen). Letters as in score.h.
//
//   cosine(strength=query) | full | softmax | interpolate | shift(range=1) | sharpen
//
//   struct Sharpen {
//     static Card card();
//     void declare(Options&) {}
//     void build(const AddressingShape& shape, Random& random);
//     void visit(nn::ParameterVisitor& visitor);
//     Variable address(const Variable& weights, const AddressingCall& call) const;
//   };
//   const ListedAddressing<Sharpen> kListed;
#pragma once  // public header

#include <memory>
#include <string>

#include "heed/attention/pattern.h"
#include "heed/attention/state.h"
#include "heed/attention/written/card.h"
#include "heed/attention/written/catalogue.h"
#include "heed/base/random.h"
#include "heed/nn/module.h"

#pragma GCC visibility push(default)  // exported

namespace heed::attention {

struct AddressingShape {
  std::int64_t query_width = 0;
  std::int64_t heads = 1;
};

struct AddressingCall {
  const Variable& query;        // [B,H,Q,Dq]
  const AttentionState& state;  // as it was before query 0, of these heads
  // Which keys there are for a query; what is hidden has weight 0 and does not exist: the neighbour
  // of a key is the next one that is allowed. Null: all are.
  std::shared_ptr<const BoundPattern> pattern{};
};

class Addressing {
 public:
  virtual ~Addressing() = default;
  virtual const Card& card() const = 0;
  virtual void declare(Options& options) = 0;
  virtual std::string written() const = 0;
  virtual std::unique_ptr<Addressing> clone() const = 0;

  virtual void build(const AddressingShape& shape, Random& random) = 0;
  virtual void visit(nn::ParameterVisitor& visitor) = 0;
  // weights [B,H,Q,K] -> weights, 0 where they were hidden. Where a row adds up to one, so does
  // what becomes of it.
  virtual Variable address(const Variable& weights, const AddressingCall& call) const = 0;
  // Whether it reads the state: then queries come one at a time.
  virtual bool looks_back() const = 0;
};

template <Part P>
class AddressingPart final : public Addressing {
 public:
  explicit AddressingPart(P part = {}) : part_(std::move(part)) {}
  const Card& card() const override {
    static const Card card = P::card();
    return card;
  }
  void declare(Options& options) override { part_.declare(options); }
  std::string written() const override { return written_form(part_); }
  std::unique_ptr<Addressing> clone() const override {
    return std::make_unique<AddressingPart>(part_);
  }
  void build(const AddressingShape& shape, Random& random) override {
    if constexpr (requires { part_.build(shape, random); }) part_.build(shape, random);
  }
  void visit(nn::ParameterVisitor& visitor) override {
    if constexpr (requires { part_.visit(visitor); }) part_.visit(visitor);
  }
  Variable address(const Variable& weights, const AddressingCall& call) const override {
    return part_.address(weights, call);
  }
  bool looks_back() const override {
    if constexpr (requires { P::kLooksBack; }) return P::kLooksBack;
    return false;
  }

 private:
  P part_;
};

template <Part P>
struct ListedAddressing {
  ListedAddressing() {
    Catalogue<Addressing>::add({P::card(), [] { return std::make_unique<AddressingPart<P>>(); }});
  }
};

}  // namespace heed::attention

#pragma GCC visibility pop
