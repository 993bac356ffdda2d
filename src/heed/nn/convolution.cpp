// SPDX-License-Identifier: Apache-2.0
// The parameters of convolution layers.
#include "heed/nn/convolution.h"

#include <cmath>

#include "heed/nn/initialisers.h"

namespace heed::nn {
namespace {

Variable first_bias(const Shape& weight, Random& random) {
  const double fan_in = static_cast<double>(weight.size()) / static_cast<double>(weight[0]);
  const Real limit = static_cast<Real>(1 / std::sqrt(fan_in));
  return parameter(uniform({weight[0]}, random, -limit, limit));
}

}  // namespace

Convolution1d::Convolution1d(std::int64_t in, std::int64_t out, std::int64_t width, Random& random,
                             const Sliding& sliding)
    : weight(parameter(fan_in_uniform({out, in, width}, random))),
      bias(first_bias(weight.shape(), random)),
      sliding(sliding) {}

void Convolution1d::visit(ParameterVisitor& visitor) {
  visitor("weight", weight);
  visitor("bias", bias);
}

Convolution2d::Convolution2d(std::int64_t in, std::int64_t out, std::int64_t size, Random& random,
                             const Sliding& sliding)
    : weight(parameter(fan_in_uniform({out, in, size, size}, random))),
      bias(first_bias(weight.shape(), random)),
      sliding(sliding) {}

void Convolution2d::visit(ParameterVisitor& visitor) {
  visitor("weight", weight);
  visitor("bias", bias);
}

}  // namespace heed::nn
