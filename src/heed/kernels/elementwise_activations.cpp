// SPDX-License-Identifier: Apache-2.0
// Elementwise maps that need exp, log or erf, with run-time dispatch.
#include "heed/base/threads.h"
#include "heed/kernels/dispatch.h"
#include "heed/kernels/elementwise.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/elementwise_activations.cpp"
#include "heed/kernels/highway.h"
// After highway.h: compiled once per target.
#include "heed/kernels/map-inl.h"
#include "heed/kernels/math-inl.h"

#ifndef HEED_KERNELS_ELEMENTWISE_ACTIVATIONS_CPP_
#define HEED_KERNELS_ELEMENTWISE_ACTIVATIONS_CPP_
namespace heed::kernels {
namespace {

// Items below which a second thread does not pay: these cost some ten times an addition.
constexpr std::size_t kGrain = kElementwiseGrain / 4;

// One exported function serves them all.
enum class Activation { exp, log, tanh, sigmoid, erf, gelu, gelu_tanh, swish, softplus };

}  // namespace
}  // namespace heed::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace heed::kernels {
namespace HWY_NAMESPACE {

template <Activation kActivation>
struct ActivationMap {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    if constexpr (kActivation == Activation::exp) return Exp(d, x);
    if constexpr (kActivation == Activation::log) return Log(d, x);
    if constexpr (kActivation == Activation::tanh) return Tanh(d, x);
    if constexpr (kActivation == Activation::sigmoid) return Sigmoid(d, x);
    if constexpr (kActivation == Activation::erf) return Erf(d, x);
    if constexpr (kActivation == Activation::gelu) return Gelu(d, x);
    if constexpr (kActivation == Activation::gelu_tanh) return GeluTanh(d, x);
    if constexpr (kActivation == Activation::swish) return Swish(d, x);
    if constexpr (kActivation == Activation::softplus) return Softplus(d, x);
  }
};

template <typename T>
HWY_INLINE void RunActivation(Activation activation, const T* x, T* y, std::size_t n) {
  switch (activation) {
    case Activation::exp:
      return MapArrays(ActivationMap<Activation::exp>{}, n, y, x);
    case Activation::log:
      return MapArrays(ActivationMap<Activation::log>{}, n, y, x);
    case Activation::tanh:
      return MapArrays(ActivationMap<Activation::tanh>{}, n, y, x);
    case Activation::sigmoid:
      return MapArrays(ActivationMap<Activation::sigmoid>{}, n, y, x);
    case Activation::erf:
      return MapArrays(ActivationMap<Activation::erf>{}, n, y, x);
    case Activation::gelu:
      return MapArrays(ActivationMap<Activation::gelu>{}, n, y, x);
    case Activation::gelu_tanh:
      return MapArrays(ActivationMap<Activation::gelu_tanh>{}, n, y, x);
    case Activation::swish:
      return MapArrays(ActivationMap<Activation::swish>{}, n, y, x);
    case Activation::softplus:
      return MapArrays(ActivationMap<Activation::softplus>{}, n, y, x);
  }
}

void ActivationEntry(Activation activation, const Scalar* x, Scalar* y, std::size_t n) {
  RunActivation(activation, x, y, n);
}

}  // namespace HWY_NAMESPACE
}  // namespace heed::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {

HWY_EXPORT(ActivationEntry);

namespace {

template <typename T>
void activate(Activation activation, const T* x, T* y, std::size_t n) noexcept {
  const auto run = HWY_DYNAMIC_DISPATCH(ActivationEntry);
  parallel_for(n, kGrain, [=](std::size_t begin, std::size_t end) {
    run(activation, x + begin, y + begin, end - begin);
  });
}

}  // namespace

template <typename T>
void exp(const T* x, T* y, std::size_t n) noexcept {
  activate(Activation::exp, x, y, n);
}
template <typename T>
void log(const T* x, T* y, std::size_t n) noexcept {
  activate(Activation::log, x, y, n);
}
template <typename T>
void tanh(const T* x, T* y, std::size_t n) noexcept {
  activate(Activation::tanh, x, y, n);
}
template <typename T>
void sigmoid(const T* x, T* y, std::size_t n) noexcept {
  activate(Activation::sigmoid, x, y, n);
}
template <typename T>
void erf(const T* x, T* y, std::size_t n) noexcept {
  activate(Activation::erf, x, y, n);
}
template <typename T>
void gelu(const T* x, T* y, std::size_t n) noexcept {
  activate(Activation::gelu, x, y, n);
}
template <typename T>
void gelu_tanh(const T* x, T* y, std::size_t n) noexcept {
  activate(Activation::gelu_tanh, x, y, n);
}
template <typename T>
void swish(const T* x, T* y, std::size_t n) noexcept {
  activate(Activation::swish, x, y, n);
}
template <typename T>
void softplus(const T* x, T* y, std::size_t n) noexcept {
  activate(Activation::softplus, x, y, n);
}

template void exp(const Scalar*, Scalar*, std::size_t) noexcept;
template void log(const Scalar*, Scalar*, std::size_t) noexcept;
template void tanh(const Scalar*, Scalar*, std::size_t) noexcept;
template void sigmoid(const Scalar*, Scalar*, std::size_t) noexcept;
template void erf(const Scalar*, Scalar*, std::size_t) noexcept;
template void gelu(const Scalar*, Scalar*, std::size_t) noexcept;
template void gelu_tanh(const Scalar*, Scalar*, std::size_t) noexcept;
template void swish(const Scalar*, Scalar*, std::size_t) noexcept;
template void softplus(const Scalar*, Scalar*, std::size_t) noexcept;

}  // namespace heed::kernels
#endif  // HWY_ONCE
