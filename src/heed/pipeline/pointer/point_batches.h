// SPDX-License-Identifier: Apache-2.0
// PointBatches: the sets that a training learns from, batch after batch, all of a batch of one
// size. Which they are is a function of the seed and the number of the batch, which is the place
// that a checkpoint keeps.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heed/corpora/points/point_sets.h"
#include "heed/pipeline/pointer/pointer_options.h"

namespace heed::pipeline {

struct PointBatch {
  std::vector<corpora::PointSet> sets{};
  bool ends_epoch = false;

  Tensor points(std::int64_t features) const;  // [B,P,F]
  // The answers as choices [B,T], each with its end, and ends for what is missing; in `targets`
  // that is -1.
  Ids choices() const;
  Ids targets() const;
};

class PointBatches {
 public:
  // The options must outlive it. DataError as of the file, where there is one.
  explicit PointBatches(const PointerOptions& options);

  PointBatch next();
  std::uint64_t number() const { return number_; }  // of the next
  void seek(std::uint64_t number) { number_ = number; }
  std::uint64_t epoch_batches() const;
  const PointForm& form() const { return form_; }
  std::string report() const;
  std::uint64_t bytes() const;

 private:
  // Places of sets, batch by batch, for this epoch.
  const std::vector<std::vector<std::size_t>>& order_of(std::uint64_t epoch);
  PointBatch made(std::uint64_t number) const;

  const PointerOptions& options_;
  std::vector<corpora::PointSet> file_{};  // none where sets are made
  PointForm form_;
  std::uint64_t number_ = 0;
  std::uint64_t ordered_epoch_ = 0;
  std::vector<std::vector<std::size_t>> order_{};
};

// The sets of validation: of a file, or fresh ones that no batch has.
std::vector<corpora::PointSet> validation_sets(const PointerOptions& options,
                                               const PointForm& form);

}  // namespace heed::pipeline
