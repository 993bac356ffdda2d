// SPDX-License-Identifier: Apache-2.0
// Observer: watches the attentions of a model while it runs, and may change them. What it is shown
// are Variables, so it can keep them for their gradients or return others in their place.
//
//   struct LookAtTheFirst final : attention::Observer {
//     Variable weights(const attention::ObservedWeights& observed) override {
//       return observed.site.role == Role::cross ? first_key_only(observed.weights) :
//       observed.weights;
//     }
//   };
//   LookAtTheFirst observer;
//   model.decode(encoded, target, {.watch = &observer});
//
// Letters: B sequences, H heads, G key heads, Q queries, K keys.
#pragma once  // public header

#include <cmath>
#include <initializer_list>
#include <limits>
#include <vector>

#include "heed/attention/site.h"
#include "heed/autograd/variable.h"

#pragma GCC visibility push(default)  // exported

namespace heed::attention {

class Normaliser;

// The weight of a key that the pattern hid from a query; 0 is a weight like others.
inline constexpr Real kMasked = std::numeric_limits<Real>::quiet_NaN();
inline bool is_masked(Real weight) {
  return std::isnan(weight);
}
// What a key added to the context: nothing where it was hidden.
inline Real share_of(Real weight) {
  return is_masked(weight) ? Real{0} : weight;
}

// The weights of some heads, just before they read the values. Heads of one written form come
// together; mechanisms that look back at their weights come query by query.
struct ObservedWeights {
  const Site& site;
  // Of B; sequences at different positions are shown apart, in runs of one position.
  std::int64_t first_sequence = 0;
  std::int64_t first_head = 0;   // of H; weights are of this head and those after it
  std::int64_t first_query = 0;  // the position of the first query in its sequence
  const Variable& weights;       // [B,H',Q,K], dropout included; 0 for hidden keys
  const Variable& scores;        // [B,H',Q,K], after all biases
  const Variable& values;        // [B,G',K,Dv]
  const Tensor& masked;          // [B,H',Q,K], the weights' values, kMasked for hidden keys
  const Normaliser* normaliser = nullptr;  // that made the weights of the scores; may be none
};

// The densities that continuous attention looked with, over the unit square that its keys fill row
// by row, or over a line of length one.
struct LookDensities {
  Tensor moments{};      // [B,H,Q,5] x, y, xx, xy, yy: mean and covariance; or [B,H,Q,2] x, xx
  bool bounded = false;  // a paraboloid that is cut off, not a Gaussian
};

// What an attention has done, told when it has ended.
struct ObservedAttention {
  const Site& site;
  std::int64_t first_query = 0;
  // [B,H,Q,K], kMasked for hidden keys; not defined where a fused kernel ran, which has no weights.
  Tensor weights{};
  // [B,H,Q], of normalisers that draw; not defined where none does. See draws.h.
  Variable log_probability{};
  Variable entropy{};
  bool fused = false;         // whether one did, for at least one head
  LookDensities densities{};  // of continuous attention, where weights are shown
  // What the attention adds to the loss of a unit, such as a token, in training; not defined:
  // nothing.
  Variable penalty{};
};

class Observer {
 public:
  virtual ~Observer() = default;
  // Whether it asks for the weights of this site. Where it does not, a fused kernel may run, and
  // weights() is not called.
  virtual bool wants_weights(const Site&) const { return true; }
  // The weights to read the values with: those observed, or others of the same shape. UsageError
  // of the attention for another shape.
  virtual Variable weights(const ObservedWeights& observed) { return observed.weights; }
  // Called once for each attention, after its last query.
  virtual void attended(const ObservedAttention&) {}
  // Whether it asks for hidden states; where it does not, states() is not called.
  virtual bool wants_states() const { return false; }
  // The states [B,T,D] that a layer hands on, or others of the same shape to continue with.
  virtual Variable states(const Site&, const Variable& states) { return states; }
};

// Several observers, each shown what the ones before it returned. Null ones are left out.
class Observers final : public Observer {
 public:
  Observers(std::initializer_list<Observer*> all);
  // The observers as one: nullptr for none, itself for a single one.
  Observer* get();

  bool wants_weights(const Site& site) const override;
  Variable weights(const ObservedWeights& observed) override;
  void attended(const ObservedAttention& observed) override;
  bool wants_states() const override;
  Variable states(const Site& site, const Variable& states) override;

 private:
  std::vector<Observer*> all_;
};

// The states of a layer as an observer leaves them; as they are without one. UsageError for states
// of another shape.
Variable watched_states(Observer* watch, const Site& site, const Variable& states);
// Observed weights as the observer leaves them, likewise.
Variable watched_weights(Observer& watch, const ObservedWeights& observed);

}  // namespace heed::attention

#pragma GCC visibility pop
