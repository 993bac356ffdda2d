// SPDX-License-Identifier: Apache-2.0
// Rows of Gaussians and their gradients, with run-time dispatch.
#include <algorithm>
#include <array>
#include <cmath>

#include "heed/base/threads.h"
#include "heed/kernels/dispatch.h"
#include "heed/kernels/glimpse.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/gaussian_filters.cpp"
#include "heed/kernels/highway.h"
// After highway.h: compiled once per target.
#include "heed/kernels/lanes-inl.h"
#include "heed/kernels/math-inl.h"

#ifndef HEED_KERNELS_GAUSSIAN_FILTERS_CPP_
#define HEED_KERNELS_GAUSSIAN_FILTERS_CPP_
namespace heed::kernels {
namespace {

constexpr double kLeastSum = 1e-8;  // of Gregor 2015

}  // namespace
}  // namespace heed::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace heed::kernels {
namespace HWY_NAMESPACE {

template <typename T>
struct OneFilter {
  T mean;
  T precision;  // 1 / sigma^2
};

// The weights before they are divided by their sum, which is returned.
template <typename T>
T Weights(const OneFilter<T>& filter, std::size_t pixels, T* y) {
  const hn::ScalableTag<T> d;
  const auto first = hn::Iota(d, T{1});
  const auto mean = hn::Set(d, filter.mean), scale = hn::Set(d, T(-.5) * filter.precision);
  auto sum = hn::Zero(d);
  Sweep(d, 0, pixels, [&](std::size_t i, auto lanes) HWY_ATTR {
    const auto away = hn::Sub(hn::Add(first, hn::Set(d, static_cast<T>(i))), mean);
    const auto weight = ExpNonPositive(d, hn::Mul(scale, hn::Mul(away, away)));
    lanes.store(weight, d, y + i);
    sum = hn::Add(sum, lanes.inside(d, weight));
  });
  return hn::GetLane(hn::SumOfLanes(d, sum));
}

template <typename T>
void FilterRows(const T* means, const T* precisions, std::size_t count, std::size_t pixels, T* y) {
  const hn::ScalableTag<T> d;
  for (std::size_t k = 0; k < count; ++k) {
    T* const row = y + k * pixels;
    const T sum = Weights<T>({means[k], precisions[k]}, pixels, row);
    const auto share = hn::Set(d, 1 / std::max(sum, static_cast<T>(kLeastSum)));
    Sweep(d, 0, pixels, [&](std::size_t i, auto lanes) HWY_ATTR {
      lanes.store(hn::Mul(share, lanes.load(d, row + i)), d, row + i);
    });
  }
}

// With e = -(a - mean)^2 precision / 2 and de = F (dF - sum F dF): the sums over a of de (a - mean)
// and of de (a - mean)^2. Where the sum of weights was below the least, F is not normalised: its
// own sum is below 1, and de = F dF.
template <typename T>
void FilterRowsBackward(const T* filters, const T* dfilters, const T* means, std::size_t count,
                        std::size_t pixels, T* moments) {
  const hn::ScalableTag<T> d;
  for (std::size_t k = 0; k < count; ++k) {
    const T* const f = filters + k * pixels;
    const T* const df = dfilters + k * pixels;
    auto sum = hn::Zero(d), dot = hn::Zero(d);
    Sweep(d, 0, pixels, [&](std::size_t i, auto lanes) HWY_ATTR {
      const auto weight = lanes.load(d, f + i);
      sum = hn::Add(sum, weight);
      dot = hn::MulAdd(weight, lanes.load(d, df + i), dot);
    });
    const bool normalised = hn::GetLane(hn::SumOfLanes(d, sum)) > T(.99);
    const auto mean_df = normalised ? hn::SumOfLanes(d, dot) : hn::Zero(d);
    const auto first = hn::Iota(d, T{1}), mean = hn::Set(d, means[k]);
    auto one = hn::Zero(d), two = hn::Zero(d);
    Sweep(d, 0, pixels, [&](std::size_t i, auto lanes) HWY_ATTR {
      const auto away = hn::Sub(hn::Add(first, hn::Set(d, static_cast<T>(i))), mean);
      const auto de = hn::Mul(lanes.load(d, f + i), hn::Sub(lanes.load(d, df + i), mean_df));
      const auto first_moment = hn::Mul(de, away);  // 0 beyond the row, as the filter is there
      one = hn::Add(one, first_moment);
      two = hn::MulAdd(first_moment, away, two);
    });
    moments[2 * k] = hn::GetLane(hn::SumOfLanes(d, one));
    moments[2 * k + 1] = hn::GetLane(hn::SumOfLanes(d, two));
  }
}

void FilterRowsEntry(const Scalar* means, const Scalar* precisions, std::size_t count,
                     std::size_t pixels, Scalar* y) {
  FilterRows<Scalar>(means, precisions, count, pixels, y);
}
void FilterRowsBackwardEntry(const Scalar* filters, const Scalar* dfilters, const Scalar* means,
                             std::size_t count, std::size_t pixels, Scalar* moments) {
  FilterRowsBackward<Scalar>(filters, dfilters, means, count, pixels, moments);
}

}  // namespace HWY_NAMESPACE
}  // namespace heed::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {
namespace {

HWY_EXPORT(FilterRowsEntry);
HWY_EXPORT(FilterRowsBackwardEntry);

// Filters are taken so many at once, their means and moments on the stack.
constexpr std::size_t kTogether = 64;

// How far filter i lies from the middle one, in spacings.
template <typename T>
T offset_of(std::size_t i, std::size_t filters) noexcept {
  return static_cast<T>(i + 1) - static_cast<T>(filters) / 2 - T(.5);
}

std::size_t filter_grain(const GaussianFilters& shape) noexcept {
  return kElementwiseGrain / 8 / std::max<std::size_t>(1, shape.filters * shape.pixels) + 1;
}

}  // namespace

template <typename T>
void gaussian_filters(const T* centre, const T* spacing, const T* log_variance,
                      const GaussianFilters& shape, T* filters) noexcept {
  const auto run = HWY_DYNAMIC_DISPATCH(FilterRowsEntry);
  parallel_for(shape.rows, filter_grain(shape), [&](std::size_t begin, std::size_t end) {
    std::array<T, kTogether> means, precisions;
    for (std::size_t b = begin; b < end; ++b) {
      for (std::size_t from = 0; from < shape.filters; from += kTogether) {
        const std::size_t count = std::min(kTogether, shape.filters - from);
        for (std::size_t k = 0; k < count; ++k) {
          means[k] = centre[b] + offset_of<T>(from + k, shape.filters) * spacing[b];
          precisions[k] = std::exp(-log_variance[b]);
        }
        run(means.data(), precisions.data(), count, shape.pixels,
            filters + (b * shape.filters + from) * shape.pixels);
      }
    }
  });
}

template <typename T>
void gaussian_filters_backward(const GaussianFiltersBackward<T>& at,
                               const GaussianFilters& shape) noexcept {
  const auto run = HWY_DYNAMIC_DISPATCH(FilterRowsBackwardEntry);
  parallel_for(shape.rows, filter_grain(shape), [&](std::size_t begin, std::size_t end) {
    std::array<T, kTogether> means;
    std::array<T, 2 * kTogether> moments;
    for (std::size_t b = begin; b < end; ++b) {
      const T precision = std::exp(-at.log_variance[b]);
      T dcentre = 0, dspacing = 0, dlog_variance = 0;
      for (std::size_t from = 0; from < shape.filters; from += kTogether) {
        const std::size_t count = std::min(kTogether, shape.filters - from);
        for (std::size_t k = 0; k < count; ++k) {
          means[k] = at.centre[b] + offset_of<T>(from + k, shape.filters) * at.spacing[b];
        }
        const std::size_t first = (b * shape.filters + from) * shape.pixels;
        run(at.filters + first, at.dfilters + first, means.data(), count, shape.pixels,
            moments.data());
        for (std::size_t k = 0; k < count; ++k) {
          const T dmean = precision * moments[2 * k];
          dcentre += dmean;
          dspacing += dmean * offset_of<T>(from + k, shape.filters);
          dlog_variance += precision * moments[2 * k + 1] / 2;
        }
      }
      at.dcentre[b] = dcentre;
      at.dspacing[b] = dspacing;
      at.dlog_variance[b] = dlog_variance;
    }
  });
}

template void gaussian_filters(const Scalar*, const Scalar*, const Scalar*, const GaussianFilters&,
                               Scalar*) noexcept;
template void gaussian_filters_backward(const GaussianFiltersBackward<Scalar>&,
                                        const GaussianFilters&) noexcept;

}  // namespace heed::kernels
#endif  // HWY_ONCE
