// SPDX-License-Identifier: Apache-2.0
// RolloutBaseline: what a drawn tour is compared with (Kool 2019, section 4): the greedy tour of a
// frozen copy of the model, the best so far. When an epoch ends, the model replaces the copy if it
// is better on fresh sets by a one-sided paired t-test. In the first epoch, where no copy is worth
// anything, it is a moving average of lengths.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "heed/corpora/points/point_sets.h"
#include "heed/metrics/student_t.h"
#include "heed/models/point_model.h"

namespace heed::pipeline {

struct RolloutBaselineOptions {
  std::int64_t sets = 10'000;  // of a comparison
  std::int64_t points = 10;
  std::uint64_t seed = 1;
  std::uint64_t epoch_batches = 2500;
  double significance = .05;
  double average = .8;  // how much of the moving average stays with each batch
};

class RolloutBaseline {
 public:
  using Make = std::function<std::unique_ptr<models::PointModel>()>;
  // `make` makes a model of the same shape; its first weights do not matter. `model` must outlive
  // this.
  RolloutBaseline(const models::PointModel& model, const Make& make,
                  const RolloutBaselineOptions& options);

  // Called before batch `number`, from 0: takes the model for its copy where an epoch begins that
  // asks for it. Gives a line that says so, or nothing.
  std::string begin(std::uint64_t number);
  // What the lengths of this batch are compared with, one per set.
  std::vector<double> operator()(std::uint64_t number, std::span<const corpora::PointSet> sets,
                                 std::span<const double> lengths);

  // All that a checkpoint must keep.
  std::map<std::string, Tensor> carried() const;
  void carry(const std::map<std::string, Tensor>& carried);

 private:
  void freeze();

  const models::PointModel& model_;
  std::unique_ptr<models::PointModel> copy_;
  RolloutBaselineOptions options_;
  Real mean_ = 0;
  bool has_mean_ = false;
};

// Lengths of the closed tours that a model finds greedily.
std::vector<double> greedy_lengths(const models::PointModel& model,
                                   std::span<const corpora::PointSet> sets);

}  // namespace heed::pipeline
