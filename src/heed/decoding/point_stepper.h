// SPDX-License-Identifier: Apache-2.0
// Models that point at their input, for the searches of tokens: the end is the end, and point i is
// the i-th token that stands for text.
#pragma once  // public header

#include <vector>

#include "heed/decoding/search.h"
#include "heed/decoding/stepper.h"
#include "heed/models/point_model.h"
#include "heed/tensor/packed_weights.h"

#pragma GCC visibility push(default)  // exported

namespace heed::decoding {

class PointStepper final : public Stepper {
 public:
  // points [B,P,F]. The model must outlive it; `watch` sees how it reads them.
  PointStepper(const models::PointModel& model, const Tensor& points,
               attention::Observer* watch = nullptr);
  // The same of sets that were read already.
  PointStepper(const models::PointModel& model, models::Encoded encoded, const Shape& points);

  std::int64_t rows() const override { return rows_; }
  Tensor step(const Ids& tokens, attention::Observer* watch) override;
  void reorder(const Ids& rows) override;
  std::int64_t longest() const override { return points_ + 1; }

 private:
  const models::PointModel* model_;
  std::int64_t rows_;
  std::int64_t points_;
  models::Encoded encoded_;
  models::DecoderState state_;
  PackedWeights weights_;
};

// How a search of points is bounded: by what the model allows, and nothing else.
Constraints point_constraints(std::int64_t points);
// The points that a hypothesis names, from 0.
std::vector<int> route_of(const Hypothesis& hypothesis);

}  // namespace heed::decoding

#pragma GCC visibility pop
