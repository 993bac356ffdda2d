// SPDX-License-Identifier: Apache-2.0
// Softmax, sum and logarithm in one op: what it keeps are the distributions and their mixture.
#include "heed/autograd/mixture.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/base/threads.h"
#include "heed/kernels/softmax.h"

namespace heed {
namespace {

// Its logarithm is far below any that is learnt from, and its inverse is a float.
constexpr Real kLeast = Real(1e-30);

constexpr std::size_t kMixturesPerThread = 16;

// Where the rows of each result begin, and behind the last where they end.
std::vector<std::size_t> begins_of(const Ids& rows) {
  std::vector<std::size_t> begins;
  const std::vector<std::int32_t> all = rows.values();
  for (std::size_t m = 0; m < all.size(); ++m) {
    const auto next = static_cast<std::int32_t>(begins.size());
    if (all[m] == next) {
      begins.push_back(m);
    } else if (m == 0 || all[m] != next - 1) {
      throw UsageError(
          "log_mixture: row {} belongs to result {}; results ascend from 0 without a gap", m,
          all[m]);
    }
  }
  begins.push_back(all.size());
  return begins;
}

}  // namespace

// With P_m = softmax(logits_m), mix_n = sum of share_m P_m, and h = dy / mix:
//
//   d share_m  = h . P_m
//   d logits_m = share_m P_m * (h - h . P_m)
Variable log_mixture(const Variable& logits, const Variable& shares, const Ids& rows) {
  if (logits.rank() != 2 || shares.shape() != Shape({logits.size(0)}) ||
      rows.shape() != shares.shape()) {
    throw UsageError("log_mixture: logits {}, shares {}, rows {}; it takes [M,V], [M], [M]",
                     logits.shape().text(), shares.shape().text(), rows.shape().text());
  }
  const auto begins = std::make_shared<const std::vector<std::size_t>>(begins_of(rows));
  const std::size_t results = begins->size() - 1;
  const auto width = static_cast<std::size_t>(logits.size(1));
  const Tensor share = shares.value().packed();
  const Tensor z = logits.value().packed();
  Tensor forecasts(z.shape());
  kernels::softmax(z.data(), forecasts.mutable_data(), static_cast<std::size_t>(z.size(0)), width);
  Tensor mixed = Tensor::zeros({static_cast<std::int64_t>(results), logits.size(1)});
  Tensor y(mixed.shape());
  Real* const mix = mixed.mutable_data();
  Real* const out = y.mutable_data();
  parallel_for(results, kMixturesPerThread, [&](std::size_t begin, std::size_t end) {
    for (std::size_t n = begin; n < end; ++n) {
      Real* const row = mix + n * width;
      for (std::size_t m = (*begins)[n]; m < (*begins)[n + 1]; ++m) {
        const Real* const p = forecasts.data() + m * width;
        const Real part = share.data()[m];
        for (std::size_t w = 0; w < width; ++w) row[w] += part * p[w];
      }
      for (std::size_t w = 0; w < width; ++w) {
        out[n * width + w] = std::log(std::max(row[w], kLeast));
      }
    }
  });
  const auto backward = [=](const Tensor& gradient) -> Gradients {
    const Tensor dy = gradient.packed();
    Tensor dz(z.shape());
    Tensor dshare(share.shape());
    Real* const dlogits = dz.mutable_data();
    Real* const dshares = dshare.mutable_data();
    parallel_for(results, kMixturesPerThread, [&](std::size_t begin, std::size_t end) {
      std::vector<Real> h(width);
      for (std::size_t n = begin; n < end; ++n) {
        const Real* const row = mixed.data() + n * width;
        for (std::size_t w = 0; w < width; ++w) {
          h[w] = row[w] < kLeast ? Real{0} : dy.data()[n * width + w] / row[w];
        }
        for (std::size_t m = (*begins)[n]; m < (*begins)[n + 1]; ++m) {
          const Real* const p = forecasts.data() + m * width;
          Real* const change = dlogits + m * width;
          const Real part = share.data()[m];
          Real dot = 0;
          for (std::size_t w = 0; w < width; ++w) dot += h[w] * p[w];
          for (std::size_t w = 0; w < width; ++w) change[w] = part * p[w] * (h[w] - dot);
          dshares[m] = dot;
        }
      }
    });
    return {dz, dshare};
  };
  return record("log_mixture", y, {logits, shares}, backward);
}

}  // namespace heed
