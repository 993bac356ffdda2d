// SPDX-License-Identifier: Apache-2.0
// Gradients of the elementwise maps: dx = dy * f'(x), with run-time dispatch.
#include "heed/base/threads.h"
#include "heed/kernels/dispatch.h"
#include "heed/kernels/elementwise.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/elementwise_backward.cpp"
#include "heed/kernels/highway.h"
// After highway.h: compiled once per target.
#include "heed/kernels/map-inl.h"
#include "heed/kernels/math-inl.h"

#ifndef HEED_KERNELS_ELEMENTWISE_BACKWARD_CPP_
#define HEED_KERNELS_ELEMENTWISE_BACKWARD_CPP_
namespace heed::kernels {
namespace {

// One exported function serves them all.
enum class Backward { tanh, sigmoid, relu, erf, gelu, gelu_tanh, swish, softplus };

}  // namespace
}  // namespace heed::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace heed::kernels {
namespace HWY_NAMESPACE {

// (1 - y^2) dy
struct TanhBackward {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V y, V dy) const {
    return hn::Mul(hn::NegMulAdd(y, y, hn::Set(d, hn::TFromD<D>{1})), dy);
  }
};

// y (1 - y) dy
struct SigmoidBackward {
  template <class D, class V>
  HWY_INLINE V operator()(D, V y, V dy) const {
    return hn::Mul(hn::NegMulAdd(y, y, y), dy);
  }
};

struct ReluBackward {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V y, V dy) const {
    return hn::IfThenElseZero(hn::Gt(y, hn::Zero(d)), dy);
  }
};

// 2 / sqrt(pi) exp(-x^2) dy
struct ErfBackward {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V dy) const {
    using T = hn::TFromD<D>;
    const V slope = hn::Set(d, static_cast<T>(1.12837916709551257390));
    return hn::Mul(hn::Mul(slope, ExpNonPositive(d, hn::Neg(hn::Mul(x, x)))), dy);
  }
};

// (Phi(x) + x phi(x)) dy, phi the density of Phi. x phi(x) is 0 from some 40 on; the bound keeps
// infinity times 0 out of it.
struct GeluBackward {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V dy) const {
    using T = hn::TFromD<D>;
    V gaussian;
    const V distribution = NormalDistribution(d, x, gaussian);
    const V density = hn::Mul(gaussian, hn::Set(d, static_cast<T>(0.39894228040143267794)));
    const V bounded = AtLeast(hn::Set(d, T{-50}), AtMost(hn::Set(d, T{50}), x));
    return hn::Mul(hn::MulAdd(bounded, density, distribution), dy);
  }
};

// With s = sigmoid(u(x)): (s + x s (1 - s) u'(x)) dy, u' = 2 sqrt(2/pi) (1 + 3 * .044715 x^2).
// Beyond |x| = 50, s is 0 or 1 and s (1 - s) u' is 0.
struct GeluTanhBackward {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V dy) const {
    using T = hn::TFromD<D>;
    const V bounded = AtLeast(hn::Set(d, T{-50}), AtMost(hn::Set(d, T{50}), x));
    V spread;
    const V s = SigmoidAndSlope(d, GeluTanhArgument(d, bounded), spread);
    const V linear = hn::Set(d, static_cast<T>(1.5957691216057307118));
    const V cubic = hn::Set(d, static_cast<T>(1.5957691216057307118 * 3 * 0.044715));
    const V slope = hn::MulAdd(hn::Mul(bounded, bounded), cubic, linear);
    return hn::Mul(hn::MulAdd(hn::Mul(bounded, spread), slope, s), dy);
  }
};

// With s = sigmoid(x): (s + x s (1 - s)) dy, s (1 - s) x is 0 beyond the range of exp.
struct SwishBackward {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V dy) const {
    using T = hn::TFromD<D>;
    const V bounded = AtLeast(hn::Set(d, T{-1000}), AtMost(hn::Set(d, T{1000}), x));
    V spread;
    const V s = SigmoidAndSlope(d, bounded, spread);
    return hn::Mul(hn::MulAdd(bounded, spread, s), dy);
  }
};

// sigmoid(x) dy
struct SoftplusBackward {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V dy) const {
    return hn::Mul(Sigmoid(d, x), dy);
  }
};

// known is y or x, whichever the gradient is written in.
template <typename T>
HWY_INLINE void RunBackward(Backward map, const T* known, const T* dy, T* dx, std::size_t n) {
  switch (map) {
    case Backward::tanh:
      return MapArrays(TanhBackward{}, n, dx, known, dy);
    case Backward::sigmoid:
      return MapArrays(SigmoidBackward{}, n, dx, known, dy);
    case Backward::relu:
      return MapArrays(ReluBackward{}, n, dx, known, dy);
    case Backward::erf:
      return MapArrays(ErfBackward{}, n, dx, known, dy);
    case Backward::gelu:
      return MapArrays(GeluBackward{}, n, dx, known, dy);
    case Backward::gelu_tanh:
      return MapArrays(GeluTanhBackward{}, n, dx, known, dy);
    case Backward::swish:
      return MapArrays(SwishBackward{}, n, dx, known, dy);
    case Backward::softplus:
      return MapArrays(SoftplusBackward{}, n, dx, known, dy);
  }
}

void BackwardEntry(Backward map, const Scalar* known, const Scalar* dy, Scalar* dx, std::size_t n) {
  RunBackward(map, known, dy, dx, n);
}

}  // namespace HWY_NAMESPACE
}  // namespace heed::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {

HWY_EXPORT(BackwardEntry);

namespace {

template <typename T>
void backward(Backward map, const T* known, const T* dy, T* dx, std::size_t n) noexcept {
  const auto run = HWY_DYNAMIC_DISPATCH(BackwardEntry);
  parallel_for(n, kElementwiseGrain / 2, [=](std::size_t begin, std::size_t end) {
    run(map, known + begin, dy + begin, dx + begin, end - begin);
  });
}

}  // namespace

template <typename T>
void tanh_backward(const T* y, const T* dy, T* dx, std::size_t n) noexcept {
  backward(Backward::tanh, y, dy, dx, n);
}
template <typename T>
void sigmoid_backward(const T* y, const T* dy, T* dx, std::size_t n) noexcept {
  backward(Backward::sigmoid, y, dy, dx, n);
}
template <typename T>
void relu_backward(const T* y, const T* dy, T* dx, std::size_t n) noexcept {
  backward(Backward::relu, y, dy, dx, n);
}
template <typename T>
void erf_backward(const T* x, const T* dy, T* dx, std::size_t n) noexcept {
  backward(Backward::erf, x, dy, dx, n);
}
template <typename T>
void gelu_backward(const T* x, const T* dy, T* dx, std::size_t n) noexcept {
  backward(Backward::gelu, x, dy, dx, n);
}
template <typename T>
void gelu_tanh_backward(const T* x, const T* dy, T* dx, std::size_t n) noexcept {
  backward(Backward::gelu_tanh, x, dy, dx, n);
}
template <typename T>
void swish_backward(const T* x, const T* dy, T* dx, std::size_t n) noexcept {
  backward(Backward::swish, x, dy, dx, n);
}
template <typename T>
void softplus_backward(const T* x, const T* dy, T* dx, std::size_t n) noexcept {
  backward(Backward::softplus, x, dy, dx, n);
}

template void tanh_backward(const Scalar*, const Scalar*, Scalar*, std::size_t) noexcept;
template void sigmoid_backward(const Scalar*, const Scalar*, Scalar*, std::size_t) noexcept;
template void relu_backward(const Scalar*, const Scalar*, Scalar*, std::size_t) noexcept;
template void erf_backward(const Scalar*, const Scalar*, Scalar*, std::size_t) noexcept;
template void gelu_backward(const Scalar*, const Scalar*, Scalar*, std::size_t) noexcept;
template void gelu_tanh_backward(const Scalar*, const Scalar*, Scalar*, std::size_t) noexcept;
template void swish_backward(const Scalar*, const Scalar*, Scalar*, std::size_t) noexcept;
template void softplus_backward(const Scalar*, const Scalar*, Scalar*, std::size_t) noexcept;

}  // namespace heed::kernels
#endif  // HWY_ONCE
