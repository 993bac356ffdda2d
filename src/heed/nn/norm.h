// SPDX-License-Identifier: Apache-2.0
// LayerNorm (Ba 2016) and RMSNorm (Zhang 2019) over the last axis.
#pragma once  // public header

#include <string>
#include <vector>

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

enum class NormKind { layer, rms };
inline const std::vector<std::string>& norm_kind_names() {
  static const std::vector<std::string> names = {"layer", "rms"};
  return names;
}

// Either of them.
struct Norm {
  Variable gain;  // [width], first 1
  Variable bias;  // layer: [width], first 0
  Real epsilon = Real(1e-5);

  Norm() = default;
  Norm(NormKind kind, std::int64_t width, Real least)
      : gain(Variable::leaf(Tensor::full({width}, 1))), epsilon(least) {
    if (kind == NormKind::layer) bias = Variable::leaf(Tensor::zeros({width}));
  }

  Variable operator()(const Variable& x) const {
    return bias.defined() ? layer_norm(x, gain, bias, epsilon) : rms_norm(x, gain, epsilon);
  }
  void visit(ParameterVisitor& visitor) {
    visitor("gain", gain);
    visitor("bias", bias);
  }
};

}  // namespace heed::nn

#pragma GCC visibility pop
