// SPDX-License-Identifier: Apache-2.0
// Elementwise maps. Where the derivative is a function of the output, the output is what is kept.
#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/kernels/elementwise.h"
#include "heed/tensor/arithmetic.h"

namespace heed {

Variable exp(const Variable& x) {
  const Tensor y = map(kernels::exp<Real>, x.value());
  return record("exp", y, {x}, [y](const Tensor& dy) -> Gradients { return {dy * y}; });
}

Variable log(const Variable& x) {
  return record("log", map(kernels::log<Real>, x.value()), {x},
                [x = x.value()](const Tensor& dy) -> Gradients { return {dy / x}; });
}

Variable sqrt(const Variable& x) {
  const Tensor y = map(kernels::sqrt<Real>, x.value());
  return record("sqrt", y, {x},
                [y](const Tensor& dy) -> Gradients { return {dy / (y * Real(2))}; });
}

Variable square(const Variable& x) {
  return record("square", map(kernels::square<Real>, x.value()), {x},
                [x = x.value()](const Tensor& dy) -> Gradients { return {dy * x * Real(2)}; });
}

Variable absolute(const Variable& x) {
  return record("absolute", map(kernels::absolute<Real>, x.value()), {x},
                [x = x.value()](const Tensor& dy) -> Gradients {
                  const Tensor zero = Tensor::scalar(0);
                  const Tensor positive = binary(kernels::Binary::less, zero, x, "absolute");
                  const Tensor negative = binary(kernels::Binary::less, x, zero, "absolute");
                  return {dy * (positive - negative)};
                });
}

Variable tanh(const Variable& x) {
  const Tensor y = map(kernels::tanh<Real>, x.value());
  return record("tanh", y, {x}, [y](const Tensor& dy) -> Gradients {
    return {map(kernels::tanh_backward<Real>, y, dy)};
  });
}

Variable sigmoid(const Variable& x) {
  const Tensor y = map(kernels::sigmoid<Real>, x.value());
  return record("sigmoid", y, {x}, [y](const Tensor& dy) -> Gradients {
    return {map(kernels::sigmoid_backward<Real>, y, dy)};
  });
}

Variable relu(const Variable& x) {
  const Tensor y = map(kernels::relu<Real>, x.value());
  return record("relu", y, {x}, [y](const Tensor& dy) -> Gradients {
    return {map(kernels::relu_backward<Real>, y, dy)};
  });
}

Variable erf(const Variable& x) {
  return record("erf", map(kernels::erf<Real>, x.value()), {x},
                [x = x.value()](const Tensor& dy) -> Gradients {
                  return {map(kernels::erf_backward<Real>, x, dy)};
                });
}

Variable gelu(const Variable& x) {
  return record("gelu", map(kernels::gelu<Real>, x.value()), {x},
                [x = x.value()](const Tensor& dy) -> Gradients {
                  return {map(kernels::gelu_backward<Real>, x, dy)};
                });
}

Variable gelu_tanh(const Variable& x) {
  return record("gelu_tanh", map(kernels::gelu_tanh<Real>, x.value()), {x},
                [x = x.value()](const Tensor& dy) -> Gradients {
                  return {map(kernels::gelu_tanh_backward<Real>, x, dy)};
                });
}

Variable swish(const Variable& x) {
  return record("swish", map(kernels::swish<Real>, x.value()), {x},
                [x = x.value()](const Tensor& dy) -> Gradients {
                  return {map(kernels::swish_backward<Real>, x, dy)};
                });
}

Variable softplus(const Variable& x) {
  return record("softplus", map(kernels::softplus<Real>, x.value()), {x},
                [x = x.value()](const Tensor& dy) -> Gradients {
                  return {map(kernels::softplus_backward<Real>, x, dy)};
                });
}

Variable clamp(const Variable& x, Real low, Real high) {
  if (!(low <= high)) throw UsageError("clamp: from {} to {}; low must not exceed high", low, high);
  const Tensor straight = x.value().required("clamp").packed();
  Tensor y(x.shape());
  kernels::clamp(low, high, straight.data(), y.mutable_data(), static_cast<std::size_t>(y.size()));
  return record("clamp", y, {x}, [x = straight, low, high](const Tensor& dy) -> Gradients {
    const Tensor above = binary(kernels::Binary::less_equal, Tensor::scalar(low), x, "clamp");
    const Tensor below = binary(kernels::Binary::less_equal, x, Tensor::scalar(high), "clamp");
    return {dy * above * below};
  });
}

Variable activate(Activation activation, const Variable& x) {
  switch (activation) {
    case Activation::none:
      return x;
    case Activation::relu:
      return relu(x);
    case Activation::gelu:
      return gelu(x);
    case Activation::gelu_tanh:
      return gelu_tanh(x);
    case Activation::tanh:
      return tanh(x);
    case Activation::sigmoid:
      return sigmoid(x);
    case Activation::swish:
      return swish(x);
  }
  throw InternalError("activate: unknown activation {}", static_cast<int>(activation));
}

}  // namespace heed
