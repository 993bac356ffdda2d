// SPDX-License-Identifier: Apache-2.0
// First values of parameters. Weights are [out, in, ...]: each further axis multiplies both fans.
#pragma once  // public header

#include "heed/autograd/variable.h"
#include "heed/base/random.h"

#pragma GCC visibility push(default)  // exported

namespace heed::nn {

Tensor uniform(const Shape& shape, Random& random, Real low, Real high);
Tensor normal(const Shape& shape, Random& random, Real mean = 0, Real deviation = 1);
// Deviation sqrt(2 / (fan_in + fan_out)) (Glorot 2010).
Tensor glorot_uniform(const Shape& shape, Random& random);
Tensor glorot_normal(const Shape& shape, Random& random);
// Deviation sqrt(2 / fan_in), for rectifiers (He 2015).
Tensor he_uniform(const Shape& shape, Random& random);
Tensor he_normal(const Shape& shape, Random& random);
// Uniform within 1 / sqrt(fan_in): the usual default of linear layers and convolutions.
Tensor fan_in_uniform(const Shape& shape, Random& random);
// Rows (or columns, whichever are fewer) of length one at right angles (Saxe 2014). [rows, columns]
Tensor orthogonal(const Shape& shape, Random& random);

// While one lives, the initialisers of this thread give zeros and draw nothing: for a model whose
// weights a file has, or whose shapes alone are asked for. Drawing a right angle between all rows
// takes the cube of their number.
class ZeroWeights {
 public:
  ZeroWeights();
  ~ZeroWeights();
  ZeroWeights(const ZeroWeights&) = delete;
  ZeroWeights& operator=(const ZeroWeights&) = delete;
};

// A parameter: a leaf with these first values.
Variable parameter(Tensor values);

}  // namespace heed::nn

#pragma GCC visibility pop
