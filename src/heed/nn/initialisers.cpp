// SPDX-License-Identifier: Apache-2.0
// Initialisers, drawn from the counter generator: the same seed gives the same model everywhere.
#include "heed/nn/initialisers.h"

#include <cmath>

#include "heed/base/error.h"
#include "heed/kernels/elementwise.h"
#include "heed/kernels/reductions.h"

namespace heed::nn {
namespace {

thread_local int zero_weights = 0;  // how many of ZeroWeights live

struct Fans {
  double in = 1;
  double out = 1;
};

Fans fans_of(const Shape& shape, const char* initialiser) {
  if (shape.rank() < 2) {
    throw UsageError("{}: shape {}; it takes a weight of two axes or more, [out, in, ...]",
                     initialiser, shape.text());
  }
  double area = 1;
  for (int axis = 2; axis < shape.rank(); ++axis) area *= static_cast<double>(shape[axis]);
  return {static_cast<double>(shape[1]) * area, static_cast<double>(shape[0]) * area};
}

// Uniform on [-limit, limit) has deviation limit / sqrt(3).
Tensor uniform_of_deviation(const Shape& shape, Random& random, double deviation) {
  const Real limit = static_cast<Real>(deviation * std::sqrt(3.0));
  return uniform(shape, random, -limit, limit);
}

double glorot(const Shape& shape) {
  const Fans fans = fans_of(shape, "glorot");
  return std::sqrt(2.0 / (fans.in + fans.out));
}

double he(const Shape& shape) {
  return std::sqrt(2.0 / fans_of(shape, "he").in);
}

std::span<Real> elements(Tensor& x) {
  return {x.mutable_data(), static_cast<std::size_t>(x.size())};
}

}  // namespace

ZeroWeights::ZeroWeights() {
  ++zero_weights;
}
ZeroWeights::~ZeroWeights() {
  --zero_weights;
}

Tensor uniform(const Shape& shape, Random& random, Real low, Real high) {
  if (zero_weights > 0) return Tensor::zeros(shape);
  Tensor x(shape);
  fill_uniform(elements(x), random, low, high);
  return x;
}

Tensor normal(const Shape& shape, Random& random, Real mean, Real deviation) {
  if (zero_weights > 0) return Tensor::zeros(shape);
  Tensor x(shape);
  fill_normal(elements(x), random, mean, deviation);
  return x;
}

Tensor glorot_uniform(const Shape& shape, Random& random) {
  return uniform_of_deviation(shape, random, glorot(shape));
}

Tensor glorot_normal(const Shape& shape, Random& random) {
  return normal(shape, random, 0, static_cast<Real>(glorot(shape)));
}

Tensor he_uniform(const Shape& shape, Random& random) {
  return uniform_of_deviation(shape, random, he(shape));
}

Tensor he_normal(const Shape& shape, Random& random) {
  return normal(shape, random, 0, static_cast<Real>(he(shape)));
}

Tensor fan_in_uniform(const Shape& shape, Random& random) {
  const Real limit = static_cast<Real>(1.0 / std::sqrt(fans_of(shape, "fan_in").in));
  return uniform(shape, random, -limit, limit);
}

Tensor orthogonal(const Shape& shape, Random& random) {
  if (shape.rank() != 2)
    throw UsageError("orthogonal: shape {}; it takes [rows, columns]", shape.text());
  if (zero_weights > 0) return Tensor::zeros(shape);
  if (shape[0] > shape[1]) return orthogonal({shape[1], shape[0]}, random).transpose().packed();
  // Gram-Schmidt on normal rows, twice: once leaves an error that grows with the number of rows.
  Tensor x = normal(shape, random);
  Real* data = x.mutable_data();
  const auto columns = static_cast<std::size_t>(shape[1]);
  for (std::int64_t row = 0; row < shape[0]; ++row) {
    Real* mine = data + row * shape[1];
    for (int pass = 0; pass < 2; ++pass) {
      for (std::int64_t before = 0; before < row; ++before) {
        const Real* other = data + before * shape[1];
        kernels::add_scaled(-kernels::dot(mine, other, columns), other, mine, columns);
      }
    }
    kernels::scale(Real{1} / std::sqrt(kernels::sum_squares(mine, columns)), mine, mine, columns);
  }
  return x;
}

Variable parameter(Tensor values) {
  return Variable::leaf(std::move(values));
}

}  // namespace heed::nn
