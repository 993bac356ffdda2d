// SPDX-License-Identifier: Apache-2.0
// One mechanism on tensors of one shape, ready to be timed forward or backward.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/bench/harness.h"
#include "heed/attention/compose/score_change.h"
#include "heed/attention/mechanism.h"
#include "heed/autograd/variable.h"

namespace heed::cli {

// Letters as in `--shape B,H,Q,K,D`.
struct AttentionSetting {
  std::int64_t batch = 1;
  std::int64_t heads = 8;
  std::int64_t queries = 1024;
  std::int64_t keys = 1024;
  std::int64_t width = 64;
  std::int64_t key_heads = 0;  // 0: as many as heads
  std::string spec = "scaled_dot";
  bool heads_inside = false;  // [B,S,H,D] in memory instead of [B,H,S,D]
  double score_deviation = 1;
  bool backward = false;
  std::vector<attention::TileChange> changes = {};  // of the scores, after the spec's biases
};

class AttentionCase {
 public:
  explicit AttentionCase(const AttentionSetting& setting);

  const AttentionSetting& setting() const { return setting_; }
  const Variable& query() const { return query_; }  // [B,H,Q,D]
  const Variable& keys() const { return keys_; }    // [B,G,K,D]
  const Variable& values() const { return values_; }

  // Operations on the keys that the pattern allows: 4 D per query and key forward, 10 D backward.
  double flops() const;
  // The whole of attend; backward alone, after an untimed attend, where the setting says so.
  PreparedRun timed();
  // Peak memory beyond inputs and outputs of one attend, followed by its backward where the
  // setting says so.
  std::optional<std::int64_t> extra_bytes();
  // Inputs and results as safetensors: query, keys, values, context; with backward also d_context,
  // d_query, d_keys and d_values.
  void write(const std::string& path);

 private:
  void attend();
  void go_back();

  AttentionSetting setting_;
  Variable query_, keys_, values_;
  attention::Mechanism mechanism_;
  attention::Memory memory_;
  Tensor d_context_;
  Variable context_;
};

}  // namespace heed::cli
