// SPDX-License-Identifier: Apache-2.0
// Multi-head attention: any mechanism in H heads side by side, with or without its projections
// (Vaswani 2017, section 3.2.2; grouped heads Ainslie 2023, multi-query Shazeer 2019).
#pragma once  // public header

#include <memory>
#include <optional>
#include <string>

#include "heed/attention/attention.h"
#include "heed/attention/positions.h"
#include "heed/nn/linear.h"
#include "heed/nn/packing.h"

#pragma GCC visibility push(default)  // exported

namespace heed::attention {

struct MultiHeadOptions {
  std::string mechanism = "scaled_dot";
  std::string bias_of_positions{};  // one more bias in every group of heads; empty: none
  std::int64_t query_width = 0;     // of the inputs
  std::int64_t key_width = 0;       // 0: as the query's
  std::int64_t value_width = 0;     // 0: as the keys'
  std::int64_t output_width = 0;    // 0: as the query's
  std::int64_t heads = 1;
  std::int64_t key_heads = 0;         // 0: as many as heads; fewer: grouped; 1: multi-query
  std::int64_t head_width = 0;        // of queries and keys; 0: query_width / heads
  std::int64_t head_value_width = 0;  // 0: as head_width
  // W_Q, W_K, W_V, W_O; without them the inputs themselves are split into heads.
  bool project = true;
  bool bias = true;         // of W_Q, W_K, W_V
  bool output_bias = true;  // of W_O
  // Turns queries and keys by their positions, after the projections.
  std::optional<Rotary> rotary{};
};

struct MultiHeadResult {
  Variable context;   // [B,Q,output_width]
  Attended attended;  // the heads' own results, weights when asked for
};

// With a packing, what [B,S,width] is below comes, and the context goes, as [N,width]: only tokens
// are projected.
class MultiHead {
 public:
  MultiHead(const MultiHeadOptions& options, Random& random);

  // keys [B,K,key_width], values [B,K,value_width]
  Memory memory(const Variable& keys, const Variable& values, const KeyData& data = {},
                const nn::Packing& packing = {}) const;
  Memory grown(const Memory& memory, const Variable& keys, const Variable& values) const;
  // query [B,Q,query_width]
  MultiHeadResult attend(const Variable& query, const Memory& memory,
                         const AttentionState& state = {}, const AttendOptions& options = {},
                         const nn::Packing& packing = {}) const;
  // Both at once, the plain case: query [B,Q,query_width], keys, values -> context
  // [B,Q,output_width]. Whoever asks the same keys again makes their memory once.
  Variable operator()(const Variable& query, const Variable& keys, const Variable& values,
                      const KeyData& data = {}, const AttendOptions& options = {}) const;

  const Attention& mechanism() const { return *mechanism_; }
  void visit(nn::ParameterVisitor& visitor);
  // Makes the mechanism its own, which copies share otherwise: see nn::copy().
  void separate() { mechanism_ = mechanism_->clone(); }

 private:
  // [B,S,key_width] -> [B,G,S,D]; the first is at position `first`.
  Variable key_heads(const Variable& keys, const QueryPosition& first,
                     const nn::Packing& packing) const;
  Variable value_heads(const Variable& values, const nn::Packing& packing) const;
  // Queries or keys [B,H,S,D] turned by their positions.
  Variable turned(const Variable& heads, const QueryPosition& first, std::int64_t step) const;

  MultiHeadOptions options_;
  nn::Linear w_q_, w_k_, w_v_, w_o_;  // without w_q_ where queries and keys share w_k_
  std::shared_ptr<Attention> mechanism_;
};

// [B,S,heads*D] -> [B,heads,S,D], and back.
Variable split_heads(const Variable& x, std::int64_t heads);
Variable merge_heads(const Variable& x);

}  // namespace heed::attention

#pragma GCC visibility pop
