// SPDX-License-Identifier: Apache-2.0
// The additive score with run-time dispatch.
//
// Forward: a few queries meet a few keys at a time, all features of a pair in lanes, so that both
// stay in L1. Backward: one vector of features at a time, for all pairs of a batch row and key
// head. All gradients of these features then belong to one thread, and no sum crosses threads.
#include "heed/kernels/attention/additive_score.h"

#include <algorithm>
#include <type_traits>

#include "heed/base/threads.h"
#include "heed/kernels/dispatch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/attention/additive_score.cpp"
#include "heed/kernels/highway.h"
// After highway.h: compiled once per target.
#include "heed/kernels/lanes-inl.h"
#include "heed/kernels/math-inl.h"

#ifndef HEED_KERNELS_ADDITIVE_SCORE_CPP_
#define HEED_KERNELS_ADDITIVE_SCORE_CPP_
namespace heed::kernels {
namespace {

constexpr std::size_t kQueryTile = 8;
constexpr std::size_t kKeyTile = 16;
// Keys whose features backward holds on the stack: 64 vectors and their gradients, at most 8 KiB.
constexpr std::size_t kBackwardTile = 64;
// Features of one unit of backward's work: a cache line, so that no two threads write to the same.
template <typename T>
constexpr std::size_t kBlock = 64 / sizeof(T);
// Activations below which a second thread does not pay: each costs some ten additions.
constexpr std::size_t kGrain = kElementwiseGrain / 4;

}  // namespace
}  // namespace heed::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace heed::kernels {
namespace HWY_NAMESPACE {

// The activation of z; with kSlope also its derivative.
template <Activation kActivation, bool kSlope, class D, class V>
HWY_INLINE V Activated(D d, V z, [[maybe_unused]] V& slope) {
  using T = hn::TFromD<D>;
  const V one = hn::Set(d, T{1});
  if constexpr (kActivation == Activation::tanh) {
    const V y = Tanh(d, z);
    if constexpr (kSlope) slope = hn::NegMulAdd(y, y, one);
    return y;
  } else if constexpr (kActivation == Activation::relu) {
    if constexpr (kSlope) slope = hn::IfThenElseZero(hn::Gt(z, hn::Zero(d)), one);
    return AtLeast(hn::Zero(d), z);
  } else if constexpr (kActivation == Activation::sigmoid) {
    if constexpr (kSlope) return SigmoidAndSlope(d, z, slope);
    return Sigmoid(d, z);
  } else if constexpr (kActivation == Activation::gelu) {
    // Phi(z) + z phi(z); z phi(z) is 0 from some 40 on, and the bound keeps infinity times 0 out.
    V gaussian;
    const V distribution = NormalDistribution(d, z, gaussian);
    if constexpr (kSlope) {
      const V density = hn::Mul(gaussian, hn::Set(d, static_cast<T>(0.39894228040143267794)));
      const V bounded = AtLeast(hn::Set(d, T{-50}), AtMost(hn::Set(d, T{50}), z));
      slope = hn::MulAdd(bounded, density, distribution);
    }
    return hn::Mul(NoInfinityBelow(d, z), distribution);
  } else if constexpr (kActivation == Activation::gelu_tanh) {
    // z s(u), u(z) as in math-inl.h: s + z s (1 - s) u'; beyond |z| = 50 the second term is 0.
    if constexpr (!kSlope) return GeluTanh(d, z);
    const V bounded = AtLeast(hn::Set(d, T{-50}), AtMost(hn::Set(d, T{50}), z));
    V spread;
    const V s = SigmoidAndSlope(d, GeluTanhArgument(d, bounded), spread);
    const V linear = hn::Set(d, static_cast<T>(1.5957691216057307118));
    const V cubic = hn::Set(d, static_cast<T>(1.5957691216057307118 * 3 * 0.044715));
    const V inner = hn::MulAdd(hn::Mul(bounded, bounded), cubic, linear);
    slope = hn::MulAdd(hn::Mul(bounded, spread), inner, s);
    return hn::Mul(NoInfinityBelow(d, z), s);
  } else if constexpr (kActivation == Activation::swish) {
    if constexpr (!kSlope) return Swish(d, z);
    const V bounded = AtLeast(hn::Set(d, T{-1000}), AtMost(hn::Set(d, T{1000}), z));
    V spread;
    const V s = SigmoidAndSlope(d, bounded, spread);
    slope = hn::MulAdd(bounded, spread, s);
    return hn::Mul(NoInfinityBelow(d, z), s);
  } else {
    static_assert(kActivation == Activation::none);
    if constexpr (kSlope) slope = one;
    return z;
  }
}

// Rows [begin, end) of all batch x heads x queries rows, which may belong to several heads.
template <Activation kActivation, typename T>
void ForwardRows(const AdditiveScore<T>& problem, T* scores, std::size_t begin, std::size_t end) {
  const hn::ScalableTag<T> d;
  const std::size_t size = problem.size;
  const std::size_t group = problem.heads / problem.key_heads;
  while (begin < end) {
    const std::size_t head = begin / problem.queries;  // of batch x heads
    const std::size_t last = std::min({end, (head + 1) * problem.queries, begin + kQueryTile});
    const T* v = problem.v + head % problem.heads * size;
    const T* keys = problem.key + head / group * problem.keys * size;
    for (std::size_t tile = 0; tile < problem.keys; tile += kKeyTile) {
      const std::size_t tile_end = std::min(problem.keys, tile + kKeyTile);
      for (std::size_t row = begin; row < last; ++row) {
        const T* query = problem.query + row * size;
        for (std::size_t k = tile; k < tile_end; ++k) {
          const T* key = keys + k * size;
          scores[row * problem.keys + k] =
              SumOver(d, size, [&](std::size_t s, auto lanes, auto& sum) HWY_ATTR {
                auto z = hn::Add(lanes.load(d, query + s), lanes.load(d, key + s));
                sum = hn::MulAdd(lanes.load(d, v + s), Activated<kActivation, false>(d, z, z), sum);
              });
        }
      }
    }
    begin = last;
  }
}

// The gradients of the features of one vector that starts at s, of batch row b and key head g.
template <Activation kActivation, typename T, class Lanes>
HWY_INLINE void BackwardFeatures(const AdditiveScore<T>& problem, const T* d_scores,
                                 const AdditiveScoreGradient<T>& gradient, std::size_t unit,
                                 std::size_t s, Lanes lanes) {
  const hn::ScalableTag<T> d;
  constexpr std::size_t kLanes = HWY_LANES(T);
  using V = hn::Vec<decltype(d)>;
  const std::size_t size = problem.size;
  const std::size_t group = problem.heads / problem.key_heads;
  HWY_ALIGN WholeVectors<T, kBackwardTile * kLanes> key_tile;
  HWY_ALIGN WholeVectors<T, kBackwardTile * kLanes> d_key_tile;

  for (std::size_t tile = 0; tile < problem.keys; tile += kBackwardTile) {
    const std::size_t count = std::min(kBackwardTile, problem.keys - tile);
    const std::size_t key_place = (unit * problem.keys + tile) * size + s;
    for (std::size_t k = 0; k < count; ++k) {
      hn::Store(lanes.load(d, problem.key + key_place + k * size), d, key_tile + k * kLanes);
      hn::Store(hn::Zero(d), d, d_key_tile + k * kLanes);
    }
    for (std::size_t head = unit * group; head < (unit + 1) * group; ++head) {
      const V v = lanes.load(d, problem.v + head % problem.heads * size + s);
      V d_v = hn::Zero(d);
      for (std::size_t q = 0; q < problem.queries; ++q) {
        const std::size_t row = head * problem.queries + q;
        const T* upstream = d_scores + row * problem.keys + tile;
        const V query = lanes.load(d, problem.query + row * size + s);
        V d_query = hn::Zero(d), d_v_of_row = hn::Zero(d);
        for (std::size_t k = 0; k < count; ++k) {
          if (upstream[k] == 0) continue;
          const V d_score = hn::Set(d, upstream[k]);
          V slope;
          const V z = hn::Add(query, hn::Load(d, key_tile + k * kLanes));
          const V y = Activated<kActivation, true>(d, z, slope);
          const V d_z = hn::Mul(hn::Mul(d_score, v), slope);
          d_v_of_row = hn::MulAdd(d_score, y, d_v_of_row);
          d_query = hn::Add(d_query, d_z);
          hn::Store(hn::Add(hn::Load(d, d_key_tile + k * kLanes), d_z), d, d_key_tile + k * kLanes);
        }
        d_v = hn::Add(d_v, d_v_of_row);
        if (gradient.query != nullptr) {
          T* to = gradient.query + row * size + s;
          lanes.store(tile == 0 ? d_query : hn::Add(lanes.load(d, to), d_query), d, to);
        }
      }
      if (gradient.v != nullptr) {
        T* to = gradient.v + head * size + s;
        lanes.store(tile == 0 ? d_v : hn::Add(lanes.load(d, to), d_v), d, to);
      }
    }
    if (gradient.key != nullptr) {
      for (std::size_t k = 0; k < count; ++k) {
        lanes.store(hn::Load(d, d_key_tile + k * kLanes), d, gradient.key + key_place + k * size);
      }
    }
  }
}

// The gradients of features [first, last) where one query meets the keys of unit `unit`: key by key
// along memory. 64 rows of 25 keys of 512 features take .61 ms on one AVX2 thread, feature by
// feature 1.39 ms. All gradients are wanted.
template <Activation kActivation, typename T>
void BackwardOneQuery(const AdditiveScore<T>& problem, const T* d_scores,
                      const AdditiveScoreGradient<T>& gradient, std::size_t unit, std::size_t first,
                      std::size_t last) {
  const hn::ScalableTag<T> d;
  const std::size_t size = problem.size;
  const T* const query = problem.query + unit * size;
  const T* const v = problem.v + unit % problem.heads * size;
  T* const d_query = gradient.query + unit * size;
  T* const d_v = gradient.v + unit * size;
  std::fill(d_query + first, d_query + last, T{0});
  std::fill(d_v + first, d_v + last, T{0});
  for (std::size_t k = 0; k < problem.keys; ++k) {
    const T upstream = d_scores[unit * problem.keys + k];
    const T* const key = problem.key + (unit * problem.keys + k) * size;
    T* const d_key = gradient.key + (unit * problem.keys + k) * size;
    if (upstream == 0) {
      std::fill(d_key + first, d_key + last, T{0});
      continue;
    }
    const auto d_score = hn::Set(d, upstream);
    Sweep(d, first, last, [&](std::size_t s, auto lanes) HWY_ATTR {
      const auto z = hn::Add(lanes.load(d, query + s), lanes.load(d, key + s));
      auto slope = hn::Zero(d);
      const auto y = Activated<kActivation, true>(d, z, slope);
      const auto d_z = hn::Mul(hn::Mul(d_score, lanes.load(d, v + s)), slope);
      lanes.store(d_z, d, d_key + s);
      lanes.store(hn::Add(lanes.load(d, d_query + s), d_z), d, d_query + s);
      lanes.store(hn::MulAdd(d_score, y, lanes.load(d, d_v + s)), d, d_v + s);
    });
  }
}

// Units [begin, end) of all batch x key heads x blocks of features.
template <Activation kActivation, typename T>
void BackwardUnits(const AdditiveScore<T>& problem, const T* d_scores,
                   const AdditiveScoreGradient<T>& gradient, std::size_t begin, std::size_t end) {
  const hn::ScalableTag<T> d;
  const std::size_t blocks = (problem.size + kBlock<T> - 1) / kBlock<T>;
  const bool one_query = problem.queries == 1 && problem.heads == problem.key_heads &&
                         gradient.query != nullptr && gradient.key != nullptr &&
                         gradient.v != nullptr;
  while (one_query && begin < end) {
    const std::size_t unit = begin / blocks;
    const std::size_t stop = std::min(end, (unit + 1) * blocks);
    BackwardOneQuery<kActivation>(problem, d_scores, gradient, unit,
                                  (begin - unit * blocks) * kBlock<T>,
                                  std::min(problem.size, (stop - unit * blocks) * kBlock<T>));
    begin = stop;
  }
  for (std::size_t i = begin; i < end; ++i) {
    const std::size_t first = i % blocks * kBlock<T>;
    Sweep(d, first, std::min(problem.size, first + kBlock<T>),
          [&](std::size_t s, auto lanes) HWY_ATTR {
            BackwardFeatures<kActivation>(problem, d_scores, gradient, i / blocks, s, lanes);
          });
  }
}

// Calls run with the activation as a compile-time constant.
template <class Run>
HWY_INLINE void WithActivation(Activation activation, const Run& run) {
  switch (activation) {
    case Activation::none:
      return run(std::integral_constant<Activation, Activation::none>{});
    case Activation::relu:
      return run(std::integral_constant<Activation, Activation::relu>{});
    case Activation::gelu:
      return run(std::integral_constant<Activation, Activation::gelu>{});
    case Activation::gelu_tanh:
      return run(std::integral_constant<Activation, Activation::gelu_tanh>{});
    case Activation::tanh:
      return run(std::integral_constant<Activation, Activation::tanh>{});
    case Activation::sigmoid:
      return run(std::integral_constant<Activation, Activation::sigmoid>{});
    case Activation::swish:
      return run(std::integral_constant<Activation, Activation::swish>{});
  }
}

template <typename T>
HWY_INLINE void RunAdditive(const AdditiveScore<T>& problem, T* scores, std::size_t begin,
                            std::size_t end) {
  WithActivation(problem.activation, [&](auto activation) HWY_ATTR {
    ForwardRows<activation()>(problem, scores, begin, end);
  });
}
void AdditiveEntry(const AdditiveScore<Scalar>& problem, Scalar* scores, std::size_t begin,
                   std::size_t end) {
  RunAdditive(problem, scores, begin, end);
}

template <typename T>
HWY_INLINE void RunAdditiveBackward(const AdditiveScore<T>& problem, const T* d_scores,
                                    const AdditiveScoreGradient<T>& gradient, std::size_t begin,
                                    std::size_t end) {
  WithActivation(problem.activation, [&](auto activation) HWY_ATTR {
    BackwardUnits<activation()>(problem, d_scores, gradient, begin, end);
  });
}
void AdditiveBackwardEntry(const AdditiveScore<Scalar>& problem, const Scalar* d_scores,
                           const AdditiveScoreGradient<Scalar>& gradient, std::size_t begin,
                           std::size_t end) {
  RunAdditiveBackward(problem, d_scores, gradient, begin, end);
}

}  // namespace HWY_NAMESPACE
}  // namespace heed::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {

HWY_EXPORT(AdditiveEntry);
HWY_EXPORT(AdditiveBackwardEntry);

template <typename T>
void additive_score(const AdditiveScore<T>& problem, T* scores) noexcept {
  const auto run = HWY_DYNAMIC_DISPATCH(AdditiveEntry);
  const std::size_t row_work = std::max<std::size_t>(problem.keys * problem.size, 1);
  parallel_for(problem.batch * problem.heads * problem.queries, kGrain / row_work + 1,
               [&](std::size_t begin, std::size_t end) { run(problem, scores, begin, end); });
}

template <typename T>
void additive_score_backward(const AdditiveScore<T>& problem, const T* d_scores,
                             const AdditiveScoreGradient<T>& gradient) noexcept {
  const std::size_t rows = problem.batch * problem.heads;
  if (problem.keys == 0) {
    if (gradient.query != nullptr) {
      std::fill_n(gradient.query, rows * problem.queries * problem.size, T{0});
    }
    if (gradient.v != nullptr) std::fill_n(gradient.v, rows * problem.size, T{0});
    return;
  }
  const auto run = HWY_DYNAMIC_DISPATCH(AdditiveBackwardEntry);
  const std::size_t blocks = (problem.size + kBlock<T> - 1) / kBlock<T>;
  const std::size_t unit_work =
      problem.heads / problem.key_heads * problem.queries * problem.keys * kBlock<T> + 1;
  parallel_for(
      problem.batch * problem.key_heads * blocks, kGrain / unit_work + 1,
      [&](std::size_t begin, std::size_t end) { run(problem, d_scores, gradient, begin, end); });
}

template void additive_score(const AdditiveScore<Scalar>&, Scalar*) noexcept;
template void additive_score_backward(const AdditiveScore<Scalar>&, const Scalar*,
                                      const AdditiveScoreGradient<Scalar>&) noexcept;

}  // namespace heed::kernels
#endif  // HWY_ONCE
