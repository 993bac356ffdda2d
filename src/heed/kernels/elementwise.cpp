// SPDX-License-Identifier: Apache-2.0
// Elementwise maps made of plain arithmetic, with run-time dispatch.
#include "heed/kernels/elementwise.h"

#include <cmath>

#include "heed/base/threads.h"
#include "heed/kernels/dispatch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/elementwise.cpp"
#include "heed/kernels/highway.h"
// After highway.h: compiled once per target.
#include "heed/kernels/map-inl.h"
#include "heed/kernels/math-inl.h"

#ifndef HEED_KERNELS_ELEMENTWISE_CPP_
#define HEED_KERNELS_ELEMENTWISE_CPP_
namespace heed::kernels {
namespace {

// Maps of one array with up to two constants; one exported function serves them all.
enum class Arithmetic { sqrt, square, absolute, negate, relu, scale, add, clamp };

}  // namespace
}  // namespace heed::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace heed::kernels {
namespace HWY_NAMESPACE {

struct SqrtMap {
  template <class D, class V>
  HWY_INLINE V operator()(D, V x) const {
    return hn::Sqrt(x);
  }
};
struct SquareMap {
  template <class D, class V>
  HWY_INLINE V operator()(D, V x) const {
    return hn::Mul(x, x);
  }
};
struct AbsoluteMap {
  template <class D, class V>
  HWY_INLINE V operator()(D, V x) const {
    return hn::Abs(x);
  }
};
struct NegateMap {
  template <class D, class V>
  HWY_INLINE V operator()(D, V x) const {
    return hn::Neg(x);
  }
};
struct ReluMap {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return AtLeast(hn::Zero(d), x);
  }
};
template <typename T>
struct ScaleMap {
  T alpha;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return hn::Mul(hn::Set(d, alpha), x);
  }
};
template <typename T>
struct AddMap {
  T constant;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return hn::Add(hn::Set(d, constant), x);
  }
};
template <typename T>
struct ClampMap {
  T low, high;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return AtLeast(hn::Set(d, low), AtMost(hn::Set(d, high), x));
  }
};
template <typename T>
struct AddScaledMap {
  T alpha;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V y) const {
    return hn::MulAdd(hn::Set(d, alpha), x, y);
  }
};
struct SelectMap {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V condition, V a, V b) const {
    return hn::IfThenElse(hn::Eq(condition, hn::Zero(d)), b, a);
  }
};
template <typename T>
struct FillMap {
  T value;
  template <class D>
  HWY_INLINE hn::Vec<D> operator()(D d) const {
    return hn::Set(d, value);
  }
};

template <typename T>
HWY_INLINE void RunArithmetic(Arithmetic map, const T* x, T* y, std::size_t n, T first, T second) {
  switch (map) {
    case Arithmetic::sqrt:
      return MapArrays(SqrtMap{}, n, y, x);
    case Arithmetic::square:
      return MapArrays(SquareMap{}, n, y, x);
    case Arithmetic::absolute:
      return MapArrays(AbsoluteMap{}, n, y, x);
    case Arithmetic::negate:
      return MapArrays(NegateMap{}, n, y, x);
    case Arithmetic::relu:
      return MapArrays(ReluMap{}, n, y, x);
    case Arithmetic::scale:
      return MapArrays(ScaleMap<T>{first}, n, y, x);
    case Arithmetic::add:
      return MapArrays(AddMap<T>{first}, n, y, x);
    case Arithmetic::clamp:
      return MapArrays(ClampMap<T>{first, second}, n, y, x);
  }
}

void ArithmeticEntry(Arithmetic map, const Scalar* x, Scalar* y, std::size_t n, Scalar first,
                     Scalar second) {
  RunArithmetic(map, x, y, n, first, second);
}
void AddScaledEntry(Scalar alpha, const Scalar* x, Scalar* y, std::size_t n) {
  MapArrays(AddScaledMap<Scalar>{alpha}, n, y, x, y);
}
void SelectEntry(const Scalar* condition, const Scalar* a, const Scalar* b, Scalar* y,
                 std::size_t n) {
  MapArrays(SelectMap{}, n, y, condition, a, b);
}
void FillEntry(Scalar* y, std::size_t n, Scalar value) {
  MapArrays(FillMap<Scalar>{value}, n, y);
}

}  // namespace HWY_NAMESPACE
}  // namespace heed::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {

HWY_EXPORT(ArithmeticEntry);
HWY_EXPORT(AddScaledEntry);
HWY_EXPORT(SelectEntry);
HWY_EXPORT(FillEntry);

namespace {

template <typename T>
void arithmetic(Arithmetic map, const T* x, T* y, std::size_t n, T first = 0,
                T second = 0) noexcept {
  const auto run = HWY_DYNAMIC_DISPATCH(ArithmeticEntry);
  parallel_for(n, kElementwiseGrain, [=](std::size_t begin, std::size_t end) {
    run(map, x + begin, y + begin, end - begin, first, second);
  });
}

}  // namespace

template <typename T>
void sqrt(const T* x, T* y, std::size_t n) noexcept {
  arithmetic(Arithmetic::sqrt, x, y, n);
}
template <typename T>
void square(const T* x, T* y, std::size_t n) noexcept {
  arithmetic(Arithmetic::square, x, y, n);
}
template <typename T>
void absolute(const T* x, T* y, std::size_t n) noexcept {
  arithmetic(Arithmetic::absolute, x, y, n);
}
template <typename T>
void negate(const T* x, T* y, std::size_t n) noexcept {
  arithmetic(Arithmetic::negate, x, y, n);
}
template <typename T>
void relu(const T* x, T* y, std::size_t n) noexcept {
  arithmetic(Arithmetic::relu, x, y, n);
}
template <typename T>
void scale(T alpha, const T* x, T* y, std::size_t n) noexcept {
  arithmetic(Arithmetic::scale, x, y, n, alpha);
}
template <typename T>
void add_constant(T constant, const T* x, T* y, std::size_t n) noexcept {
  arithmetic(Arithmetic::add, x, y, n, constant);
}
template <typename T>
void clamp(T low, T high, const T* x, T* y, std::size_t n) noexcept {
  arithmetic(Arithmetic::clamp, x, y, n, low, high);
}

template <typename T>
void add_scaled(T alpha, const T* x, T* y, std::size_t n) noexcept {
  const auto run = HWY_DYNAMIC_DISPATCH(AddScaledEntry);
  parallel_for(n, kElementwiseGrain, [=](std::size_t begin, std::size_t end) {
    run(alpha, x + begin, y + begin, end - begin);
  });
}

template <typename T>
void select(const T* condition, const T* a, const T* b, T* y, std::size_t n) noexcept {
  const auto run = HWY_DYNAMIC_DISPATCH(SelectEntry);
  parallel_for(n, kElementwiseGrain, [=](std::size_t begin, std::size_t end) {
    run(condition + begin, a + begin, b + begin, y + begin, end - begin);
  });
}

template <typename T>
void fill(T* y, std::size_t n, T value) noexcept {
  const auto run = HWY_DYNAMIC_DISPATCH(FillEntry);
  parallel_for(n, kElementwiseGrain,
               [=](std::size_t begin, std::size_t end) { run(y + begin, end - begin, value); });
}

// The library's sine and cosine: exact argument reduction matters more here than speed, they are
// used to fill tables of positions.
template <typename T>
void sin(const T* x, T* y, std::size_t n) noexcept {
  parallel_for(n, kElementwiseGrain / 8, [=](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) y[i] = std::sin(x[i]);
  });
}
template <typename T>
void cos(const T* x, T* y, std::size_t n) noexcept {
  parallel_for(n, kElementwiseGrain / 8, [=](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) y[i] = std::cos(x[i]);
  });
}

template void sqrt(const Scalar*, Scalar*, std::size_t) noexcept;
template void square(const Scalar*, Scalar*, std::size_t) noexcept;
template void absolute(const Scalar*, Scalar*, std::size_t) noexcept;
template void negate(const Scalar*, Scalar*, std::size_t) noexcept;
template void relu(const Scalar*, Scalar*, std::size_t) noexcept;
template void sin(const Scalar*, Scalar*, std::size_t) noexcept;
template void cos(const Scalar*, Scalar*, std::size_t) noexcept;
template void scale(Scalar, const Scalar*, Scalar*, std::size_t) noexcept;
template void add_constant(Scalar, const Scalar*, Scalar*, std::size_t) noexcept;
template void clamp(Scalar, Scalar, const Scalar*, Scalar*, std::size_t) noexcept;
template void add_scaled(Scalar, const Scalar*, Scalar*, std::size_t) noexcept;
template void select(const Scalar*, const Scalar*, const Scalar*, Scalar*, std::size_t) noexcept;
template void fill(Scalar*, std::size_t, Scalar) noexcept;

}  // namespace heed::kernels
#endif  // HWY_ONCE
