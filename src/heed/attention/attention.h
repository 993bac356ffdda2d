// SPDX-License-Identifier: Apache-2.0
// Attention: what every mechanism is to its callers: query and memory -> context, and weights where
// it has any. Two forms meet this contract: `Mechanism`, composed of score + bias | pattern |
// normaliser, and whole mechanisms (whole.h), which do not factor that way.
//
//   const auto look = make_attention("linear | causal", {.query_width = 8, .key_width = 8,
//                                    .value_width = 6}, random);
//   const Attended found = look->attend(query, look->memory(keys, values));
#pragma once  // public header

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "heed/attention/compose/score_change.h"
#include "heed/attention/memory.h"
#include "heed/attention/observer.h"
#include "heed/attention/pattern.h"
#include "heed/attention/query_data.h"
#include "heed/attention/state.h"
#include "heed/attention/written/spec.h"
#include "heed/base/random.h"
#include "heed/nn/module.h"

#pragma GCC visibility push(default)  // exported

namespace heed::attention {

struct MechanismShape {
  std::int64_t query_width = 0;
  std::int64_t key_width = 0;
  std::int64_t value_width = 0;
  std::int64_t heads = 1;      // H
  std::int64_t key_heads = 1;  // G; H is a multiple of it
};

struct AttendOptions {
  QueryData given{};         // masks, biases and positions of these queries
  bool weights = false;      // whether Attended carries weights and scores
  bool log_sum_exp = false;  // whether it carries the log-sum-exp of the scores
  Random* noise = nullptr;   // of dropout and of draws; without it the likeliest is taken
  Real dropout = 0;          // the part of the weights that is dropped; takes noise
  // The user's own beside what is written: changes of the scores after the biases, and a pattern
  // that must allow a key as well (see score_change.h and own_pattern.h).
  std::vector<TileChange> changes{};
  std::shared_ptr<const Pattern> pattern{};
  bool fuse = true;           // whether a fused kernel may be used instead of the composition
  Observer* watch = nullptr;  // sees the weights, and may change them
  Site site{};                // what it is given of where it looks

  bool shows_weights() const { return watch != nullptr && watch->wants_weights(site); }
};

struct Attended {
  Variable context;          // [B,H,Q,Dv]
  AttentionState state;      // after the last query
  Variable weights;          // [B,H,Q,K], when asked for
  Variable scores;           // [B,H,Q,K], when asked for and there are any; those of masked keys
                             // hold what the score gave
  Tensor log_sum_exp;        // [B,H,Q], when asked for
  Variable log_probability;  // [B,H,Q], of normalisers that draw; 0 for other heads beside them
  Variable entropy;          // [B,H,Q], likewise
  Tensor masked;             // [B,H,Q,K], when watched: the weights, kMasked for hidden keys
  bool fused = false;        // whether a fused kernel was used for at least one head
};

class Attention {
 public:
  virtual ~Attention() = default;

  virtual std::string written() const = 0;
  virtual const MechanismShape& shape() const = 0;
  // Whether data given with a call would be read, with `own` as the call's own pattern: lengths by
  // the pattern of every head, all else by a part of some head.
  virtual bool reads(Given given, const Pattern* own = nullptr) const = 0;
  // Whether there is a matrix of weights that `weights` and observers may ask for.
  virtual bool gives_weights() const = 0;
  // Whether weights = exp(scores - log_sum_exp) in every head, so that it may be asked for.
  virtual bool has_log_sum_exp() const = 0;
  // Whether the weights of a query depend on the queries beside it, so that it cannot be asked one
  // after another.
  virtual bool weighs_all_queries() const { return false; }
  // Whether keys are mixed before any query reads them, so that all queries see the same ones.
  virtual bool mixes_keys() const { return false; }
  // Whether queries and keys are to be one projection of the same tokens.
  virtual bool shares_queries_and_keys() const { return false; }
  virtual void visit(nn::ParameterVisitor& visitor) = 0;
  // The same with parts of its own, which share the parameters: nn::copy() gives them others.
  virtual std::unique_ptr<Attention> clone() const = 0;

  // keys [B,G,K,Dk], values [B,G,K,Dv]; what can be made of them once is made here.
  virtual Memory memory(const Variable& keys, const Variable& values,
                        const KeyData& data = {}) const = 0;
  // The same with more keys and values, as many for each sequence, after those it has: padding is
  // used up, and lengths grow.
  virtual Memory grown(const Memory& memory, const Variable& keys,
                       const Variable& values) const = 0;

  // query [B,H,Q,Dq]. Query i is at position options.given.first_query + state.step + i.
  virtual Attended attend(const Variable& query, const Memory& memory,
                          const AttentionState& state = {},
                          const AttendOptions& options = {}) const = 0;
};

// The mechanism of this written form. UsageError that points into the text for what is not one, and
// names the part whose widths do not fit.
std::unique_ptr<Attention> make_attention(std::string_view text, const MechanismShape& shape,
                                          Random& random);
std::unique_ptr<Attention> make_attention(Spec spec, const MechanismShape& shape, Random& random);

// UsageError naming `model`, which asks its queries one after another, for a mechanism that weighs
// all of them at once: a token would know of those that follow it.
void check_stepwise(const char* model, const Attention& attention);
// The same for one whose queries read the tokens up to their own: mixed keys would know of later
// ones.
void check_causal(const char* model, const Attention& attention);

}  // namespace heed::attention

#pragma GCC visibility pop
