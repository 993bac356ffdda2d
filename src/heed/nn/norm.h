// SPDX-License-Identifier: Apache-2.0
// LayerNorm (Ba 2016) and RMSNorm (Zhang 2019) over the last axis.
#pragma once  // public header

#include "heed/autograd/ops.h"
#include "heed/nn/module.h"

#pragma GCC visibility push(default)  // exported

namespace heed::nn {

struct LayerNorm {
  Variable gain;  // [width], first 1
  Variable bias;  // [width], first 0
  Real epsilon = Real(1e-5);

  LayerNorm() = default;
  explicit LayerNorm(std::int64_t width, Real least = Real(1e-5))
      : gain(Variable::leaf(Tensor::full({width}, 1))),
        bias(Variable::leaf(Tensor::zeros({width}))),
        epsilon(least) {}

  Variable operator()(const Variable& x) const { return layer_norm(x, gain, bias, epsilon); }
  void visit(ParameterVisitor& visitor) {
    visitor("gain", gain);
    visitor("bias", bias);
  }
};

struct RMSNorm {
  Variable gain;  // [width], first 1
  Real epsilon = Real(1e-5);

  RMSNorm() = default;
  explicit RMSNorm(std::int64_t width, Real least = Real(1e-5))
      : gain(Variable::leaf(Tensor::full({width}, 1))), epsilon(least) {}

  Variable operator()(const Variable& x) const { return rms_norm(x, gain, epsilon); }
  void visit(ParameterVisitor& visitor) { visitor("gain", gain); }
};

}  // namespace heed::nn

#pragma GCC visibility pop
