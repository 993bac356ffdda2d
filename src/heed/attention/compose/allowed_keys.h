// SPDX-License-Identifier: Apache-2.0
// The allowed keys of one row of scores [B,H,Q,K], and their values packed together and spread out
// again: what is masked does not exist for a normaliser.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "heed/attention/pattern.h"
#include "heed/tensor/tensor.h"

namespace heed::attention {

struct ScoreSizes {
  explicit ScoreSizes(const Shape& scores)
      : batch(scores[0]), heads(scores[1]), queries(scores[2]), keys(scores[3]) {}
  std::int64_t rows() const { return batch * heads * queries; }
  // Rows per thread worth waking one for.
  std::size_t grain() const {
    return static_cast<std::size_t>(1 + 4096 / std::max<std::int64_t>(keys, 1));
  }
  std::int64_t batch, heads, queries, keys;
};

// One serves many rows, one after the other.
class AllowedKeys {
 public:
  explicit AllowedKeys(std::int64_t keys) : all_(static_cast<std::size_t>(keys)) {
    std::iota(all_.begin(), all_.end(), 0);
  }
  // Rows are numbered (b H + h) Q + q. Without a pattern every key is allowed.
  void look(const BoundPattern* pattern, const ScoreSizes& sizes, std::int64_t row) {
    head = row / sizes.queries % sizes.heads;
    one_run_ = true;
    keys = all_;
    if (pattern == nullptr) return;
    pattern->runs(row / sizes.queries / sizes.heads, head, row % sizes.queries, runs_);
    one_run_ = runs_.size() == 1 && runs_[0].step == 1;
    if (one_run_) {
      keys = keys.subspan(static_cast<std::size_t>(runs_[0].begin),
                          static_cast<std::size_t>(runs_[0].end - runs_[0].begin));
      return;
    }
    picked_.clear();
    for (const KeyRun& run : runs_) {
      for (std::int64_t key = run.begin; key < run.end; key += run.step) {
        picked_.push_back(static_cast<std::int32_t>(key));
      }
    }
    keys = picked_;
  }
  // The row's elements at the allowed keys: in place for one run, else copied to `packed`.
  std::span<const Real> pack(const Real* row, std::vector<Real>& packed) const {
    if (one_run_) return {row + keys.front(), keys.size()};
    packed.resize(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) packed[i] = row[keys[i]];
    return packed;
  }
  // Where to write what belongs to the allowed keys of a row that holds zeros: in place for one
  // run, else in `packed`, which spread() puts in place.
  std::span<Real> open(Real* row, std::vector<Real>& packed) const {
    if (one_run_) return {row + keys.front(), keys.size()};
    packed.assign(keys.size(), 0);
    return packed;
  }
  void spread(std::span<const Real> packed, Real* row) const {
    if (one_run_) return;
    for (std::size_t i = 0; i < keys.size(); ++i) row[keys[i]] = packed[i];
  }

  std::int64_t head = 0;
  std::span<const std::int32_t> keys;

 private:
  std::vector<std::int32_t> all_;
  std::vector<std::int32_t> picked_;
  std::vector<KeyRun> runs_;
  bool one_run_ = false;
};

}  // namespace heed::attention
