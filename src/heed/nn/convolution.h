// SPDX-License-Identifier: Apache-2.0
// Convolution layers over sequences and images.
#pragma once  // public header

#include "heed/autograd/ops.h"
#include "heed/base/random.h"
#include "heed/nn/module.h"

#pragma GCC visibility push(default)  // exported

namespace heed::nn {

struct Convolution1d {
  Variable weight;  // [out, in, width]
  Variable bias;    // [out]
  Sliding sliding;

  Convolution1d() = default;
  // Weight and bias uniform within 1 / sqrt(in * width).
  Convolution1d(std::int64_t in, std::int64_t out, std::int64_t width, Random& random,
                const Sliding& sliding = {});

  // x [B, in, L] -> [B, out, L']
  Variable operator()(const Variable& x) const { return convolution_1d(x, weight, bias, sliding); }
  void visit(ParameterVisitor& visitor);
};

struct Convolution2d {
  Variable weight;  // [out, in, size, size]
  Variable bias;    // [out]
  Sliding sliding;

  Convolution2d() = default;
  Convolution2d(std::int64_t in, std::int64_t out, std::int64_t size, Random& random,
                const Sliding& sliding = {});

  // x [B, in, H, W] -> [B, out, H', W']
  Variable operator()(const Variable& x) const { return convolution_2d(x, weight, bias, sliding); }
  void visit(ParameterVisitor& visitor);
};

}  // namespace heed::nn

#pragma GCC visibility pop
