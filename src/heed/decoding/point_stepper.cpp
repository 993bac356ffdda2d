// SPDX-License-Identifier: Apache-2.0
// Choices become tokens, and tokens choices.
#include "heed/decoding/point_stepper.h"

#include <algorithm>
#include <limits>

#include "heed/kernels/softmax.h"

namespace heed::decoding {
namespace {

text::Token token_of(std::int64_t choice) {
  return choice == models::kEndChoice ? text::kEnd
                                      : static_cast<text::Token>(choice - 1 + text::kFirstPiece);
}

std::int32_t choice_of(text::Token token) {
  return token < text::kFirstPiece ? models::kEndChoice : token - text::kFirstPiece + 1;
}

models::Encoded read_points(const models::PointModel& model, const Tensor& points,
                            attention::Observer* watch) {
  const NoGradient values_only;
  return model.read(Variable(points), {.watch = watch});
}

}  // namespace

PointStepper::PointStepper(const models::PointModel& model, const Tensor& points,
                           attention::Observer* watch)
    : PointStepper(model, read_points(model, points, watch), points.shape()) {}

PointStepper::PointStepper(const models::PointModel& model, models::Encoded encoded,
                           const Shape& points)
    : model_(&model), rows_(points[0]), points_(points[1]), encoded_(std::move(encoded)) {
  const NoGradient values_only;
  state_ = model.start(encoded_);
}

Tensor PointStepper::step(const Ids& tokens, attention::Observer* watch) {
  const NoGradient values_only;
  const PackedWeights::Scope scope(weights_);
  Ids chosen(tokens.shape());
  std::ranges::transform(tokens.values(), chosen.mutable_data(), choice_of);
  models::Step step = model_->step(encoded_, state_, chosen, {.watch = watch});
  state_ = std::move(step.state);
  const Tensor logits = step.logits.value().packed();
  const std::int64_t keys = logits.size(1);
  Tensor likely(logits.shape());
  kernels::log_softmax(logits.data(), likely.mutable_data(), static_cast<std::size_t>(rows_),
                       static_cast<std::size_t>(keys));
  Tensor found =
      Tensor::full({rows_, token_of(keys - 1) + 1}, -std::numeric_limits<Real>::infinity());
  for (std::int64_t n = 0; n < rows_; ++n) {
    for (std::int64_t choice = 0; choice < keys; ++choice) {
      found.mutable_data()[n * found.size(1) + token_of(choice)] = likely.data()[n * keys + choice];
    }
  }
  return found;
}

void PointStepper::reorder(const Ids& rows) {
  const NoGradient values_only;
  encoded_ = encoded_.reordered(rows);
  state_ = state_.reordered(rows);
  rows_ = rows.size();
}

Constraints point_constraints(std::int64_t points) {
  return {.most = {.per_source = 0, .constant = static_cast<double>(points + 1)}};
}

std::vector<int> route_of(const Hypothesis& hypothesis) {
  std::vector<int> route;
  for (const text::Token token : hypothesis.tokens) route.push_back(choice_of(token) - 1);
  return route;
}

}  // namespace heed::decoding
