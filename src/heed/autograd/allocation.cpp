// SPDX-License-Identifier: Apache-2.0
// Products along a sorted row, forward and backward.
#include "heed/autograd/allocation.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <vector>

#include "heed/base/error.h"

namespace heed {
namespace {

// The slots of each row, freest first: [B*N].
std::vector<std::size_t> by_rising_usage(const Real* usage, std::size_t rows, std::size_t slots) {
  std::vector<std::size_t> order(rows * slots);
  for (std::size_t b = 0; b < rows; ++b) {
    const auto begin = order.begin() + static_cast<std::ptrdiff_t>(b * slots);
    const auto end = begin + static_cast<std::ptrdiff_t>(slots);
    std::iota(begin, end, std::size_t{0});
    const Real* const row = usage + b * slots;
    std::stable_sort(begin, end, [row](std::size_t i, std::size_t j) {
      // What is not a number comes last, so that a training that diverges ends in its own report.
      return std::isnan(row[j]) ? !std::isnan(row[i]) : row[i] < row[j];
    });
  }
  return order;
}

}  // namespace

// Along the sorted row, with P_k = Π_{i<k} u_i and S_k the gradient of P_k through all slots from k
// on:
//
//   S_k  = dy_k (1 - u_k) + u_k S_{k+1}
//   du_k = P_k (S_{k+1} - dy_k)
Variable allocation(const Variable& usage) {
  if (usage.rank() != 2) {
    throw UsageError("allocation: usage {}; it takes [B,N]", usage.shape().text());
  }
  const Tensor u = usage.value().packed();
  const auto rows = static_cast<std::size_t>(u.size(0)),
             slots = static_cast<std::size_t>(u.size(1));
  const auto order =
      std::make_shared<const std::vector<std::size_t>>(by_rising_usage(u.data(), rows, slots));
  Tensor y(u.shape());
  for (std::size_t b = 0; b < rows; ++b) {
    const Real* const row = u.data() + b * slots;
    Real* const out = y.mutable_data() + b * slots;
    Real before = 1;
    for (std::size_t k = 0; k < slots; ++k) {
      const std::size_t slot = (*order)[b * slots + k];
      out[slot] = (1 - row[slot]) * before;
      before *= row[slot];
    }
  }
  const auto backward = [=](const Tensor& gradient) -> Gradients {
    const Tensor dy = gradient.packed();
    Tensor du(u.shape());
    std::vector<Real> before(slots);
    for (std::size_t b = 0; b < rows; ++b) {
      const std::size_t* const slot = order->data() + b * slots;
      const Real* const row = u.data() + b * slots;
      const Real* const change = dy.data() + b * slots;
      Real product = 1;
      for (std::size_t k = 0; k < slots; ++k) {
        before[k] = product;
        product *= row[slot[k]];
      }
      Real later = 0;
      for (std::size_t k = slots; k-- > 0;) {
        const std::size_t i = slot[k];
        du.mutable_data()[b * slots + i] = before[k] * (later - change[i]);
        later = change[i] * (1 - row[i]) + row[i] * later;
      }
    }
    return {du};
  };
  return record("allocation", y, {usage}, backward);
}

}  // namespace heed
