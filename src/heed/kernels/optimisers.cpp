// SPDX-License-Identifier: Apache-2.0
// Optimiser steps: every constant is worked out once in double, then one sweep over the arrays.
#include "heed/kernels/optimisers.h"

#include <cmath>

#include "heed/base/threads.h"
#include "heed/kernels/dispatch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/optimisers.cpp"
#include "heed/kernels/highway.h"
// After highway.h, which sets the target that this header is compiled for.
#include "heed/kernels/lanes-inl.h"

#ifndef HEED_KERNELS_OPTIMISERS_TYPES_
#define HEED_KERNELS_OPTIMISERS_TYPES_
namespace heed::kernels {
namespace {

// What part of the arrays a thread works on.
struct Part {
  std::size_t begin;
  std::size_t end;
};

}  // namespace
}  // namespace heed::kernels
#endif  // HEED_KERNELS_OPTIMISERS_TYPES_

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {
namespace {

template <class D>
HWY_INLINE hn::Vec<D> Constant(D d, double value) {
  return hn::Set(d, static_cast<hn::TFromD<D>>(value));
}

// old * decay + value * (1 - decay)
template <class V>
HWY_INLINE V Decayed(V old, V decay, V value, V rest) {
  return hn::MulAdd(old, decay, hn::Mul(value, rest));
}

template <typename T>
HWY_INLINE void AdamPart(const ParameterUpdate<T>& update, const AdamState<T>& state,
                         const AdamOptions& options, Part part) {
  const hn::ScalableTag<T> d;
  const double step = static_cast<double>(options.step);
  const double correction1 = 1 - std::pow(options.beta1, step);
  const double correction2 = 1 - std::pow(options.beta2, step);
  const double shrink = options.decoupled ? update.learning_rate * options.weight_decay : 0;
  const auto scale = Constant(d, update.gradient_scale);
  const auto coupled = Constant(d, options.decoupled ? 0 : options.weight_decay);
  const auto keep = Constant(d, 1 - shrink);
  const auto beta1 = Constant(d, options.beta1), rest1 = Constant(d, 1 - options.beta1);
  const auto beta2 = Constant(d, options.beta2), rest2 = Constant(d, 1 - options.beta2);
  const auto rate = Constant(d, update.learning_rate / correction1);
  const auto root = Constant(d, 1 / std::sqrt(correction2));
  const auto epsilon = Constant(d, options.epsilon);
  T* const parameters = update.parameters;
  const T* const gradient = update.gradient;
  T* const mean = state.mean;
  T* const square = state.square;
  Sweep(d, part.begin, part.end, [=](std::size_t i, auto lanes) HWY_ATTR {
    const auto p = lanes.load(d, parameters + i);
    const auto g = hn::MulAdd(p, coupled, hn::Mul(lanes.load(d, gradient + i), scale));
    const auto m = Decayed(lanes.load(d, mean + i), beta1, g, rest1);
    const auto v = Decayed(lanes.load(d, square + i), beta2, hn::Mul(g, g), rest2);
    lanes.store(m, d, mean + i);
    lanes.store(v, d, square + i);
    const auto deviation = hn::MulAdd(hn::Sqrt(v), root, epsilon);
    lanes.store(hn::NegMulAdd(rate, hn::Div(m, deviation), hn::Mul(p, keep)), d, parameters + i);
  });
}

template <typename T>
HWY_INLINE void SgdPart(const ParameterUpdate<T>& update, T* velocity, const SgdOptions& options,
                        Part part) {
  const hn::ScalableTag<T> d;
  const auto scale = Constant(d, update.gradient_scale);
  const auto weight_decay = Constant(d, options.weight_decay);
  const auto rate = Constant(d, update.learning_rate);
  const auto momentum = Constant(d, options.momentum);
  const bool nesterov = options.nesterov;
  T* const parameters = update.parameters;
  const T* const gradient = update.gradient;
  Sweep(d, part.begin, part.end, [=](std::size_t i, auto lanes) HWY_ATTR {
    const auto p = lanes.load(d, parameters + i);
    auto g = hn::MulAdd(p, weight_decay, hn::Mul(lanes.load(d, gradient + i), scale));
    if (velocity != nullptr) {
      const auto u = hn::MulAdd(lanes.load(d, velocity + i), momentum, g);
      lanes.store(u, d, velocity + i);
      g = nesterov ? hn::MulAdd(u, momentum, g) : u;
    }
    lanes.store(hn::NegMulAdd(rate, g, p), d, parameters + i);
  });
}

template <typename T>
HWY_INLINE void RmspropPart(const ParameterUpdate<T>& update, const RmspropState<T>& state,
                            const RmspropOptions& options, Part part) {
  const hn::ScalableTag<T> d;
  const auto scale = Constant(d, update.gradient_scale);
  const auto weight_decay = Constant(d, options.weight_decay);
  const auto rate = Constant(d, update.learning_rate);
  const auto decay = Constant(d, options.decay), rest = Constant(d, 1 - options.decay);
  const auto epsilon = Constant(d, options.epsilon);
  const auto momentum = Constant(d, options.momentum);
  T* const parameters = update.parameters;
  const T* const gradient = update.gradient;
  T* const square = state.square;
  T* const mean = state.mean;
  T* const velocity = state.velocity;
  Sweep(d, part.begin, part.end, [=](std::size_t i, auto lanes) HWY_ATTR {
    const auto p = lanes.load(d, parameters + i);
    const auto g = hn::MulAdd(p, weight_decay, hn::Mul(lanes.load(d, gradient + i), scale));
    auto v = Decayed(lanes.load(d, square + i), decay, hn::Mul(g, g), rest);
    lanes.store(v, d, square + i);
    if (mean != nullptr) {
      const auto m = Decayed(lanes.load(d, mean + i), decay, g, rest);
      lanes.store(m, d, mean + i);
      // A variance is never negative, its rounded difference can be.
      v = hn::Max(hn::NegMulAdd(m, m, v), hn::Zero(d));
    }
    auto s = hn::Div(g, hn::Add(hn::Sqrt(v), epsilon));
    if (velocity != nullptr) {
      s = hn::MulAdd(lanes.load(d, velocity + i), momentum, s);
      lanes.store(s, d, velocity + i);
    }
    lanes.store(hn::NegMulAdd(rate, s, p), d, parameters + i);
  });
}

template <typename T>
HWY_INLINE void AdagradPart(const ParameterUpdate<T>& update, T* square,
                            const AdagradOptions& options, Part part) {
  const hn::ScalableTag<T> d;
  const auto scale = Constant(d, update.gradient_scale);
  const auto weight_decay = Constant(d, options.weight_decay);
  const auto rate = Constant(d, update.learning_rate);
  const auto epsilon = Constant(d, options.epsilon);
  T* const parameters = update.parameters;
  const T* const gradient = update.gradient;
  Sweep(d, part.begin, part.end, [=](std::size_t i, auto lanes) HWY_ATTR {
    const auto p = lanes.load(d, parameters + i);
    const auto g = hn::MulAdd(p, weight_decay, hn::Mul(lanes.load(d, gradient + i), scale));
    const auto v = hn::MulAdd(g, g, lanes.load(d, square + i));
    lanes.store(v, d, square + i);
    const auto s = hn::Div(g, hn::Add(hn::Sqrt(v), epsilon));
    lanes.store(hn::NegMulAdd(rate, s, p), d, parameters + i);
  });
}

template <typename T>
HWY_INLINE void AdadeltaPart(const ParameterUpdate<T>& update, const AdadeltaState<T>& state,
                             const AdadeltaOptions& options, Part part) {
  const hn::ScalableTag<T> d;
  const auto scale = Constant(d, update.gradient_scale);
  const auto weight_decay = Constant(d, options.weight_decay);
  const auto rate = Constant(d, update.learning_rate);
  const auto decay = Constant(d, options.decay), rest = Constant(d, 1 - options.decay);
  const auto epsilon = Constant(d, options.epsilon);
  T* const parameters = update.parameters;
  const T* const gradient = update.gradient;
  T* const square = state.square;
  T* const change = state.change;
  Sweep(d, part.begin, part.end, [=](std::size_t i, auto lanes) HWY_ATTR {
    const auto p = lanes.load(d, parameters + i);
    const auto g = hn::MulAdd(p, weight_decay, hn::Mul(lanes.load(d, gradient + i), scale));
    const auto v = Decayed(lanes.load(d, square + i), decay, hn::Mul(g, g), rest);
    const auto u = lanes.load(d, change + i);
    const auto s =
        hn::Div(hn::Mul(g, hn::Sqrt(hn::Add(u, epsilon))), hn::Sqrt(hn::Add(v, epsilon)));
    lanes.store(v, d, square + i);
    lanes.store(Decayed(u, decay, hn::Mul(s, s), rest), d, change + i);
    lanes.store(hn::NegMulAdd(rate, s, p), d, parameters + i);
  });
}

void AdamEntry(const ParameterUpdate<Scalar>& update, const AdamState<Scalar>& state,
               const AdamOptions& options, Part part) {
  AdamPart(update, state, options, part);
}
void SgdEntry(const ParameterUpdate<Scalar>& update, Scalar* velocity, const SgdOptions& options,
              Part part) {
  SgdPart(update, velocity, options, part);
}
void RmspropEntry(const ParameterUpdate<Scalar>& update, const RmspropState<Scalar>& state,
                  const RmspropOptions& options, Part part) {
  RmspropPart(update, state, options, part);
}
void AdagradEntry(const ParameterUpdate<Scalar>& update, Scalar* square,
                  const AdagradOptions& options, Part part) {
  AdagradPart(update, square, options, part);
}
void AdadeltaEntry(const ParameterUpdate<Scalar>& update, const AdadeltaState<Scalar>& state,
                   const AdadeltaOptions& options, Part part) {
  AdadeltaPart(update, state, options, part);
}

}  // namespace
}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {
namespace {

HWY_EXPORT(AdamEntry);
HWY_EXPORT(SgdEntry);
HWY_EXPORT(RmspropEntry);
HWY_EXPORT(AdagradEntry);
HWY_EXPORT(AdadeltaEntry);

}  // namespace

template <typename T>
void adam(const ParameterUpdate<T>& update, const AdamState<T>& state,
          const AdamOptions& options) noexcept {
  parallel_for(update.count, kElementwiseGrain, [&](std::size_t begin, std::size_t end) {
    HWY_DYNAMIC_DISPATCH(AdamEntry)(update, state, options, {begin, end});
  });
}

template <typename T>
void sgd(const ParameterUpdate<T>& update, T* velocity, const SgdOptions& options) noexcept {
  parallel_for(update.count, kElementwiseGrain, [&](std::size_t begin, std::size_t end) {
    HWY_DYNAMIC_DISPATCH(SgdEntry)(update, velocity, options, {begin, end});
  });
}

template <typename T>
void rmsprop(const ParameterUpdate<T>& update, const RmspropState<T>& state,
             const RmspropOptions& options) noexcept {
  parallel_for(update.count, kElementwiseGrain, [&](std::size_t begin, std::size_t end) {
    HWY_DYNAMIC_DISPATCH(RmspropEntry)(update, state, options, {begin, end});
  });
}

template <typename T>
void adagrad(const ParameterUpdate<T>& update, T* square, const AdagradOptions& options) noexcept {
  parallel_for(update.count, kElementwiseGrain, [&](std::size_t begin, std::size_t end) {
    HWY_DYNAMIC_DISPATCH(AdagradEntry)(update, square, options, {begin, end});
  });
}

template <typename T>
void adadelta(const ParameterUpdate<T>& update, const AdadeltaState<T>& state,
              const AdadeltaOptions& options) noexcept {
  parallel_for(update.count, kElementwiseGrain, [&](std::size_t begin, std::size_t end) {
    HWY_DYNAMIC_DISPATCH(AdadeltaEntry)(update, state, options, {begin, end});
  });
}

template void adam(const ParameterUpdate<Scalar>&, const AdamState<Scalar>&,
                   const AdamOptions&) noexcept;
template void sgd(const ParameterUpdate<Scalar>&, Scalar*, const SgdOptions&) noexcept;
template void rmsprop(const ParameterUpdate<Scalar>&, const RmspropState<Scalar>&,
                      const RmspropOptions&) noexcept;
template void adagrad(const ParameterUpdate<Scalar>&, Scalar*, const AdagradOptions&) noexcept;
template void adadelta(const ParameterUpdate<Scalar>&, const AdadeltaState<Scalar>&,
                       const AdadeltaOptions&) noexcept;

}  // namespace heed::kernels
#endif  // HWY_ONCE
