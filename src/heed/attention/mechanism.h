// SPDX-License-Identifier: Apache-2.0
// Mechanism: score + bias | pattern | normaliser | addressing, built from its written form, with
// its learnable parameters.
//
//   Random random(1);
//   Mechanism look("additive | full | entmax(alpha=1.5)", {.query_width = 8, .key_width = 6,
//   .value_width = 6}, random); const Memory memory = look.memory(keys, values); const Attended
//   found = look.attend(query, memory);
#pragma once  // public header

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "heed/attention/attention.h"
#include "heed/autograd/ops.h"
#include "heed/nn/module.h"

#pragma GCC visibility push(default)  // exported

namespace heed::attention {

class Score;
class Addressing;
class Bias;
class Normaliser;
class MatrixNormaliser;
struct BiasCall;
struct AdditiveQuery;

class Mechanism final : public Attention {
 public:
  // UsageError that points into the text for what is not a mechanism, and names the part whose
  // widths do not fit.
  Mechanism(std::string_view text, const MechanismShape& shape, Random& random);
  Mechanism(Spec spec, const MechanismShape& shape, Random& random);

  std::string written() const override;
  const MechanismShape& shape() const override { return shape_; }
  bool reads(Given given, const Pattern* own = nullptr) const override;
  bool gives_weights() const override { return true; }
  bool has_log_sum_exp() const override;
  bool weighs_all_queries() const override;
  // Paths: "score.W1", "bias.table", "normaliser", "addressing.shares.W"; a second score is
  // "score_2", and with several groups of heads each has its own, "heads_1.score.W1".
  void visit(nn::ParameterVisitor& visitor) override;
  std::unique_ptr<Attention> clone() const override;
  // Makes the parts its own, which copies share otherwise: see nn::copy().
  void separate();

  // Projects the keys once.
  Memory memory(const Variable& keys, const Variable& values,
                const KeyData& data = {}) const override;
  // Only the new keys are projected where the scores allow it.
  Memory grown(const Memory& memory, const Variable& keys, const Variable& values) const override;
  Attended attend(const Variable& query, const Memory& memory, const AttentionState& state = {},
                  const AttendOptions& options = {}) const override;

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
    std::vector<std::shared_ptr<Addressing>> addressing{};  // in written order
    std::size_t score_count() const;
    // The normaliser if queries may come one after another though it weighs them together.
    const MatrixNormaliser* continuing() const;
    // Entries of AttentionState::hidden: one per score, then that of such a normaliser.
    std::size_t hidden_count() const;
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
  // One query after the other where a part looks back, else all at once.
  Attended attend_sequences(const Call& call) const;
  // Sequences whose first queries are at different positions, each with those that share its own.
  Attended attend_apart(const Call& call) const;
  bool looks_back() const;
  bool remembers() const;  // by AttentionState::hidden

  MechanismShape shape_;
  Spec spec_;
  std::vector<Group> groups_;
};

}  // namespace heed::attention

#pragma GCC visibility pop
