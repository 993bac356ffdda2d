// SPDX-License-Identifier: Apache-2.0
// A whole mechanism as attention: it follows patterns that show a query the first keys, and keeps
// sums instead of the keys that came before the last ones, or all keys where it goes on from query
// to query.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "heed/attention/attention.h"
#include "heed/attention/whole.h"

namespace heed::attention {

class WholeMechanism final : public Attention {
 public:
  // The spec of one whole part, and of a pattern at most.
  WholeMechanism(const Spec& spec, const MechanismShape& shape, Random& random);

  std::string written() const override { return attention::written(spec_); }
  const MechanismShape& shape() const override { return shape_; }
  bool reads(Given given, const Pattern* own = nullptr) const override;
  bool gives_weights() const override { return part_->gives_weights(); }
  bool has_log_sum_exp() const override { return false; }
  bool weighs_all_queries() const override { return part_->mixes_queries(); }
  bool mixes_keys() const override { return part_->mixes_keys(); }
  bool shares_queries_and_keys() const override { return part_->shares_queries_and_keys(); }
  void visit(nn::ParameterVisitor& visitor) override { part_->visit(visitor); }
  std::unique_ptr<Attention> clone() const override {
    auto twin = std::make_unique<WholeMechanism>(*this);
    twin->part_ = part_->clone();
    if (pattern_) twin->pattern_ = pattern_->clone();
    return twin;
  }
  Memory memory(const Variable& keys, const Variable& values,
                const KeyData& data = {}) const override;
  // What the memory held is summed up: growing token by token takes no more memory than one token.
  // Queries then are at or after the first of the new keys, and have no weights. One without sums
  // keeps all keys, and weights.
  Memory grown(const Memory& memory, const Variable& keys, const Variable& values) const override;
  Attended attend(const Variable& query, const Memory& memory, const AttentionState& state = {},
                  const AttendOptions& options = {}) const override;

 private:
  void check_memory(const Memory& memory) const;
  void check_call(const Variable& query, const Memory& memory, const AttendOptions& options) const;
  // [B,Q], as WholeCall has it.
  std::vector<std::int64_t> visible(const Variable& query, const Memory& memory,
                                    const AttentionState& state,
                                    const AttendOptions& options) const;
  void check_alike(const std::vector<std::int64_t>& visible, std::int64_t queries) const;
  std::shared_ptr<const BoundPattern> bound(const Variable& query, const Memory& memory,
                                            std::int64_t first_query,
                                            const AttendOptions& options) const;

  MechanismShape shape_;
  Spec spec_;
  std::shared_ptr<WholeAttention> part_;
  std::shared_ptr<const Pattern> pattern_;
};

// The whole mechanisms that may be causal: "linear, performer".
std::string causal_wholes();

}  // namespace heed::attention
