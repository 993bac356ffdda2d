// SPDX-License-Identifier: Apache-2.0
// Layer norm and RMS norm over the last axis.
#include "heed/kernels/norms.h"
#include "heed/autograd/ops.h"
#include "heed/base/error.h"

namespace heed {
namespace {

void check_width(const char* op, const Variable& x, const Variable& vector, const char* what) {
  if (x.rank() < 1) throw UsageError("{}: a scalar has no axis to normalise", op);
  if (vector.defined() && vector.shape() != Shape{x.size(-1)}) {
    throw UsageError("{}: {} {} for input {}; it takes [{}]", op, what, vector.shape().text(),
                     x.shape().text(), x.size(-1));
  }
}

// What both norms share; `mean` stays undefined for RMS norm.
struct Kept {
  Tensor x;
  Tensor gain;
  Tensor mean;
  Tensor inverse_deviation;

  kernels::NormBackward<Real> backward(const Tensor& dy) const {
    const auto columns = static_cast<std::size_t>(x.size(-1));
    return {.x = x.data(),
            .gain = gain.data(),
            .mean = mean.data(),
            .inverse_deviation = inverse_deviation.data(),
            .dy = dy.data(),
            .rows = static_cast<std::size_t>(inverse_deviation.size()),
            .columns = columns};
  }
};

}  // namespace

Variable layer_norm(const Variable& x, const Variable& gain, const Variable& bias, Real epsilon) {
  check_width("layer_norm", x, gain, "gain");
  check_width("layer_norm", x, bias, "bias");
  const Shape rows = x.shape().without(x.rank() - 1);
  Kept kept{x.value().packed(), gain.value().packed(), Tensor(rows), Tensor(rows)};
  const Tensor straight_bias = bias.value().packed();
  Tensor y(x.shape());
  kernels::layer_norm<Real>({.x = kept.x.data(),
                             .gain = kept.gain.data(),
                             .bias = straight_bias.data(),
                             .y = y.mutable_data(),
                             .mean = kept.mean.mutable_data(),
                             .inverse_deviation = kept.inverse_deviation.mutable_data(),
                             .rows = static_cast<std::size_t>(rows.size()),
                             .columns = static_cast<std::size_t>(x.size(-1)),
                             .epsilon = epsilon});
  return record("layer_norm", y, {x, gain, bias},
                [kept](const Tensor& dy, Needs needs) -> Gradients {
                  const Tensor straight = dy.packed();
                  const Shape width{kept.x.size(-1)};
                  Tensor dx = room_for_gradient(needs[0], kept.x.shape());
                  Tensor dgain = room_for_gradient(needs[1], width);
                  Tensor dbias = room_for_gradient(needs[2], width);
                  kernels::NormBackward<Real> norm = kept.backward(straight);
                  norm.dx = dx.mutable_data();
                  norm.dgain = dgain.mutable_data();
                  norm.dbias = dbias.mutable_data();
                  kernels::layer_norm_backward(norm);
                  return {dx, dgain, dbias};
                });
}

Variable rms_norm(const Variable& x, const Variable& gain, Real epsilon) {
  check_width("rms_norm", x, gain, "gain");
  const Shape rows = x.shape().without(x.rank() - 1);
  Kept kept{x.value().packed(), gain.value().packed(), Tensor(), Tensor(rows)};
  Tensor y(x.shape());
  kernels::rms_norm<Real>({.x = kept.x.data(),
                           .gain = kept.gain.data(),
                           .y = y.mutable_data(),
                           .inverse_deviation = kept.inverse_deviation.mutable_data(),
                           .rows = static_cast<std::size_t>(rows.size()),
                           .columns = static_cast<std::size_t>(x.size(-1)),
                           .epsilon = epsilon});
  return record("rms_norm", y, {x, gain}, [kept](const Tensor& dy, Needs needs) -> Gradients {
    const Tensor straight = dy.packed();
    Tensor dx = room_for_gradient(needs[0], kept.x.shape());
    Tensor dgain = room_for_gradient(needs[1], {kept.x.size(-1)});
    kernels::NormBackward<Real> norm = kept.backward(straight);
    norm.dx = dx.mutable_data();
    norm.dgain = dgain.mutable_data();
    kernels::rms_norm_backward(norm);
    return {dx, dgain};
  });
}

}  // namespace heed
