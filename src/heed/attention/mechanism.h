// SPDX-License-Identifier: Apache-2.0
// Mechanism: score + bias | pattern | normaliser, built from its written form, with its learnable
// parameters.
//
//   Random random(1);
//   Mechanism look("additive | full | entmax(alpha=1.5)", {.query_width = 8, .key_width = 6,
//   .value_width = 6}, random); const Memory memory = look.memory(keys, values); const Attended
//   found = look.attend(query, memory);
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "heed/attention/bias.h"
#include "heed/attention/compose/score_change.h"
#include "heed/attention/memory.h"
#include "heed/attention/normaliser.h"
#include "heed/attention/pattern.h"
#include "heed/attention/query_data.h"
#include "heed/attention/score.h"
#include "heed/attention/state.h"
#include "heed/attention/trace.h"
#include "heed/attention/written/spec.h"
#include "heed/autograd/ops.h"
#include "heed/nn/module.h"

namespace heed::attention {

struct MechanismShape {
  std::int64_t query_width = 0;
  std::int64_t key_width = 0;
  std::int64_t value_width = 0;
  std::int64_t heads = 1;      // H
  std::int64_t key_heads = 1;  // G; H is a multiple of it
};

// The pattern a spec asks for by names of the catalogue; `text` is the written form its places
// point into.
std::unique_ptr<Pattern> make_pattern(const PatternSpec& spec, std::string_view text);
// The pattern of this written form, such as "causal & window(64)".
std::unique_ptr<Pattern> pattern_of(const std::string& written);

struct AttendOptions {
  QueryData given{};         // masks, biases and positions of these queries
  bool weights = false;      // whether Attended carries weights and scores
  bool log_sum_exp = false;  // whether it carries the log-sum-exp of the scores
  Random* noise = nullptr;   // of dropout and of normalisers that draw; without it draws repeat
  Real dropout = 0;          // the part of the weights that is dropped; takes noise
  // The user's own beside what is written: changes of the scores behind the biases, and a pattern
  // that must allow a key as well (see score_change.h and own_pattern.h).
  std::vector<TileChange> changes{};
  std::shared_ptr<const Pattern> pattern{};
  bool fuse = true;           // whether a fused kernel may stand in for the composition
  Observer* watch = nullptr;  // sees the weights, and may change them
  Site site{};                // what it is told of where it looks

  bool shows_weights() const { return watch != nullptr && watch->wants_weights(site); }
};

struct Attended {
  Variable context;          // [B,H,Q,Dv]
  AttentionState state;      // after the last query
  Variable weights;          // [B,H,Q,K], when asked for
  Variable scores;           // [B,H,Q,K], when asked for; masked keys hold what the score gave
  Tensor log_sum_exp;        // [B,H,Q], when asked for
  Variable log_probability;  // [B,H,Q], of normalisers that draw; 0 for other heads beside them
  Variable entropy;          // [B,H,Q], likewise
  Tensor masked;             // [B,H,Q,K], when watched: the weights, kMasked for hidden keys
  bool fused = false;        // whether a fused kernel stood in for at least one head
};

class Mechanism {
 public:
  // UsageError that points into the text for what is not a mechanism, and names the part whose
  // widths do not fit.
  Mechanism(std::string_view text, const MechanismShape& shape, Random& random);

  std::string written() const;
  const MechanismShape& shape() const { return shape_; }
  // Whether data given with a call would be read, with `own` as the call's own pattern: lengths by
  // the pattern of every head, all else by a part of some head.
  bool reads(Given given, const Pattern* own = nullptr) const;
  // Paths: "score.W1", "bias.table", "normaliser"; a second score is "score_2", and with
  // several groups of heads each has its own, "heads_1.score.W1".
  void visit(nn::ParameterVisitor& visitor);

  // keys [B,G,K,Dk], values [B,G,K,Dv]. Projects the keys once.
  Memory memory(const Variable& keys, const Variable& values, const KeyData& data = {}) const;
  // The same with more keys and values behind; only these are projected where the scores allow it.
  Memory grown(const Memory& memory, const Variable& keys, const Variable& values) const;

  // query [B,H,Q,Dq]. Query i stands at position options.given.first_query + state.step + i.
  Attended attend(const Variable& query, const Memory& memory, const AttentionState& state = {},
                  const AttendOptions& options = {}) const;

 private:
  using Term = std::variant<std::shared_ptr<Score>, std::shared_ptr<Bias>>;
  // Heads that share one mechanism.
  struct Group {
    std::int64_t first = 0;
    std::int64_t heads = 1;
    std::int64_t first_key_head = 0;
    std::int64_t key_heads = 1;
    std::vector<Term> terms{};  // in written order
    std::shared_ptr<Pattern> pattern{};
    std::shared_ptr<Normaliser> normaliser{};
    std::size_t score_count() const;
  };
  // What the groups of one call share, of all heads.
  struct Call {
    const Variable& query;  // [B,H,Q,Dq]
    const Memory& memory;
    const QueryData& given;  // of these queries only; one first_query for all
    const AttentionState& state;
    const AttendOptions& options;
    std::int64_t first_sequence = 0;  // of the batch that was asked for
    std::int64_t total_queries = 0;   // of the sequence these are from; 0: they are its last
    std::int64_t first_query() const { return given.first_query.all + state.step; }
  };
  Group make_group(const MechanismSpec& spec, const Group& heads, Random& random) const;
  void check_call(const Call& call) const;
  void check_memory(const Memory& memory) const;
  void check_given(const Call& call) const;
  void check_shapes(const Call& call) const;
  // What memories remember their maker by.
  const void* identity() const { return groups_.front().pattern.get(); }
  Variable hidden_of(const AttentionState& state, std::size_t group, std::size_t nth) const;
  BiasCall bias_call(const Call& call, const Group& group, const Variable& query,
                     const Variable& keys) const;
  std::vector<TileChange> own_changes(const Group& group, const Call& call) const;
  std::shared_ptr<const BoundPattern> bound_pattern(const Group& group, const Call& call,
                                                    const Variable& centres) const;
  Attended attend_group(std::size_t index, const Call& call) const;
  // By one kernel, without scores in memory; nullopt where none fits.
  std::optional<Attended> attend_fused(std::size_t index, const Call& call,
                                       const DropoutMask& dropout) const;
  std::optional<Attended> attend_additive(std::size_t index, const Call& call,
                                          const DropoutMask& dropout, AdditiveQuery query) const;
  Attended attend_once(const Call& call) const;
  // One query after the other where a score looks back, else all at once.
  Attended attend_sequences(const Call& call) const;
  // Sequences whose first queries stand at different positions, each with those that share its own.
  Attended attend_apart(const Call& call) const;
  bool looks_back() const;

  MechanismShape shape_;
  Spec spec_;
  std::vector<Group> groups_;
};

}  // namespace heed::attention
