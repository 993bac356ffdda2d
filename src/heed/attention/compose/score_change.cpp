// SPDX-License-Identifier: Apache-2.0
// Changes applied to whole heads of scores: the composition that the fused kernels are equal to.
#include "heed/attention/compose/score_change.h"

#include <utility>

#include "heed/autograd/ops.h"
#include "heed/tensor/arithmetic.h"

namespace heed::attention {
namespace {

class CallableChange final : public ScoreChange {
 public:
  CallableChange(std::function<void(const ScoreTile&)> value,
                 std::function<void(const ScoreTileBefore&, Real*)> derivative)
      : value_(std::move(value)), derivative_(std::move(derivative)) {}
  void change(const ScoreTile& scores) const override { value_(scores); }
  void derivative(const ScoreTileBefore& before, Real* gradient, Real*) const override {
    derivative_(before, gradient);
  }

 private:
  std::function<void(const ScoreTile&)> value_;
  std::function<void(const ScoreTileBefore&, Real*)> derivative_;
};

// Calls body(tile) for every head of scores [B,H,Q,K], which are dense.
template <typename T, typename Body>
void for_heads(const Shape& shape, T* data, const Body& body) {
  const auto queries = static_cast<std::size_t>(shape[2]);
  const auto keys = static_cast<std::size_t>(shape[3]);
  for (std::int64_t i = 0; i < shape[0] * shape[1]; ++i) {
    body(kernels::ScoreTile<T>{.data = data + i * shape[2] * shape[3],
                               .stride = keys,
                               .rows = queries,
                               .columns = keys,
                               .batch = static_cast<std::size_t>(i / shape[1]),
                               .head = static_cast<std::size_t>(i % shape[1]),
                               .query = 0,
                               .key = 0});
  }
}

}  // namespace

TileChange score_change(std::function<void(const ScoreTile&)> value,
                        std::function<void(const ScoreTileBefore&, Real*)> derivative) {
  return {std::make_shared<CallableChange>(std::move(value), std::move(derivative))};
}

Variable apply(const TileChange& change, const Variable& scores) {
  Tensor changed = scores.value().clone();
  for_heads(scores.shape(), changed.mutable_data(),
            [&](const ScoreTile& tile) { change.change->change(tile); });
  // What adds reads no scores in backward: there is no need to keep them.
  const Tensor before = change.change->adds() ? Tensor() : scores.value().packed();
  return record(
      "score_change", changed, {scores, change.parameters},
      [change = change.change, before, shape = scores.shape(),
       parameters = change.parameters.defined() ? change.parameters.shape() : Shape{}](
          const Tensor& dy, Needs needs) {
        Tensor d_scores = dy.clone();
        Tensor d_parameters = Tensor::zeros({static_cast<std::int64_t>(change->parameter_count())});
        Real* gradient = d_scores.mutable_data();
        Real* parameter_gradient = d_parameters.mutable_data();
        const Real* scores_before = before.defined() ? before.data() : gradient;
        for_heads(shape, scores_before, [&](const ScoreTileBefore& tile) {
          change->derivative(tile, gradient + (tile.data - scores_before), parameter_gradient);
        });
        return Gradients{
            change->adds() ? Gradient(dy) : Gradient(where(dy, d_scores, Tensor::scalar(0))),
            needs[1] ? Gradient(d_parameters.reshape(parameters)) : Gradient()};
      });
}

}  // namespace heed::attention
