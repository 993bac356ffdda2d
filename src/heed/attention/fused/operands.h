// SPDX-License-Identifier: Apache-2.0
// What every fused op takes and hands to its kernel: tensors as strided heads, changes, pattern and
// dropout.
#pragma once

#include <memory>
#include <vector>

#include "heed/attention/compose/score_change.h"
#include "heed/attention/fused/key_mask.h"
#include "heed/attention/pattern.h"
#include "heed/autograd/ops.h"
#include "heed/kernels/attention/attention.h"

namespace heed::attention {

// Letters as in score.h.
struct FusedInputs {
  Variable query;   // [B,H,Q,D], any strides
  Variable keys;    // [B,G,K,D]
  Variable values;  // [B,G,K,V]
  Real scale = 1;
  std::vector<TileChange> changes{};  // of the scaled scores, in order
  std::shared_ptr<const BoundPattern> pattern{};
  DropoutMask dropout{};  // of the weights
};

// A change as a kernel may call it: what it throws goes to `failure`.
class GuardedChange final : public ScoreChange {
 public:
  GuardedChange(const ScoreChange& change, FirstException& failure)
      : change_(&change), failure_(&failure) {}
  void change(const ScoreTile& scores) const noexcept override {
    failure_->guard([&] { change_->change(scores); });
  }
  void derivative(const ScoreTileBefore& before, Real* gradient,
                  Real* parameters) const noexcept override {
    failure_->guard([&] { change_->derivative(before, gradient, parameters); });
  }
  std::size_t parameter_count() const noexcept override { return change_->parameter_count(); }
  bool adds() const noexcept override { return change_->adds(); }

 private:
  const ScoreChange* change_;
  FirstException* failure_;
};

// The same as values, kept for backward.
class FusedOperands {
 public:
  explicit FusedOperands(const FusedInputs& inputs);

  kernels::AttentionSizes sizes() const;
  // Calls body(kernel call), which is good until it returns, and then throws what a change or the
  // pattern has thrown inside the kernel.
  template <typename Body>
  auto with_call(const Body& body) const {
    FirstException failure;
    std::vector<GuardedChange> guarded;
    std::vector<const ScoreChange*> pointers;
    guarded.reserve(changes.size());
    for (const auto& change : changes) {
      pointers.push_back(&guarded.emplace_back(*change, failure));
    }
    const PatternMask mask(pattern, failure);
    const auto result = body(call(pointers, allows_all(*pattern, sizes()) ? nullptr : &mask));
    failure.rethrow();
    return result;
  }
  // The inputs again, as leaves: for gradients through the composition.
  FusedInputs leaves() const;
  std::size_t parameter_count() const;

  Tensor query, keys, values;
  Real scale;
  std::vector<std::shared_ptr<const ScoreChange>> changes;
  std::vector<Tensor> parameters;  // of each change; not defined: it has none
  std::shared_ptr<const BoundPattern> pattern;
  DropoutMask dropout;

 private:
  kernels::AttentionCall<Real> call(std::span<const ScoreChange* const> pointers,
                                    const kernels::KeyMask* mask) const;
};

// Query, keys, values and the parameters of the changes: the inputs of a recorded op, in order.
Variables recorded_inputs(const FusedInputs& inputs);

// The gradients of recorded_inputs() that the leaves have; of the changes' parameters, cut from
// d_parameters [parameter_count()].
Gradients gradients_of(const FusedInputs& leaves);
Gradients gradients_of(const FusedOperands& operands, const Tensor& d_query, const Tensor& d_keys,
                       const Tensor& d_values, const Tensor& d_parameters);

// A tensor [B,H,S,width] that lies in memory as `like` does: heads inside rows, [B,S,H,width],
// where its heads are nearer to each other than its rows.
Tensor laid_out_as(const Tensor& like, const Shape& shape);

// x with the items of a row side by side: itself, or a copy.
Tensor with_dense_rows(const Tensor& x);

kernels::Heads<const Real> view(const Tensor& x);
kernels::Heads<Real> mutable_view(Tensor& x);

}  // namespace heed::attention
