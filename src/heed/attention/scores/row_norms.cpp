// SPDX-License-Identifier: Apache-2.0
// Squares are summed in double: they leave float's range at 1e19.
#include "heed/attention/scores/row_norms.h"

#include <algorithm>
#include <cmath>

#include "heed/base/threads.h"

namespace heed::attention {
namespace {

double inner(const Real* a, const Real* b, std::int64_t n) {
  double sum = 0;
  for (std::int64_t i = 0; i < n; ++i) sum += static_cast<double>(a[i]) * b[i];
  return sum;
}

bool all_zero(const Real* x, std::int64_t n) {
  return std::all_of(x, x + n, [](Real value) { return value == 0; });
}

// Calls body(row) for the rows of a matrix of this width.
template <typename Body>
void for_rows(std::int64_t size, std::int64_t width, const Body& body) {
  if (size == 0) return;
  constexpr std::size_t kGrain = 16384;  // elements
  parallel_for(static_cast<std::size_t>(size / width), kGrain / static_cast<std::size_t>(width) + 1,
               [&](std::size_t begin, std::size_t end) {
                 for (std::size_t row = begin; row < end; ++row) {
                   body(static_cast<std::int64_t>(row));
                 }
               });
}

}  // namespace

// y = r x, r = (|x|^2 + epsilon)^(-1/2): dx = r (dy - y <y, dy>).
Variable unit_rows(const Variable& x, double epsilon) {
  const Tensor from = x.value().packed();
  const std::int64_t width = from.size(-1);
  const auto scale_of = [epsilon](const Real* row, std::int64_t n) {
    return 1 / std::sqrt(inner(row, row, n) + epsilon);
  };
  Tensor y(from.shape());
  Real* out = y.mutable_data();
  for_rows(from.size(), width, [&](std::int64_t row) {
    const Real* in = from.data() + row * width;
    const double scale = scale_of(in, width);
    for (std::int64_t i = 0; i < width; ++i) {
      out[row * width + i] = static_cast<Real>(scale * in[i]);
    }
  });
  return record("unit_rows", y, {x}, [=](const Tensor& dy) -> Gradients {
    const Tensor upstream = dy.packed();
    Tensor dx(from.shape());
    Real* out = dx.mutable_data();
    for_rows(from.size(), width, [&](std::int64_t row) {
      const Real* g = upstream.data() + row * width;
      const Real* unit = y.data() + row * width;
      const bool absent = all_zero(g, width);
      const double scale = absent ? 0 : scale_of(from.data() + row * width, width);
      const double along = absent ? 0 : inner(unit, g, width);
      for (std::int64_t i = 0; i < width; ++i) {
        out[row * width + i] =
            absent ? Real{0} : static_cast<Real>(scale * (g[i] - along * unit[i]));
      }
    });
    return {dx};
  });
}

// The column n = -|x|^2/2 gives dx = dy of x's own columns - dn x.
Variable with_norm(const Variable& x, NormPlace place) {
  const Tensor from = x.value().packed();
  const std::int64_t width = from.size(-1);
  const std::int64_t wide = width + 2;
  const std::int64_t norm = place == NormPlace::first ? width : width + 1;
  const std::int64_t one = place == NormPlace::first ? width + 1 : width;
  Tensor y(from.shape().with(from.rank() - 1, wide));
  Real* out = y.mutable_data();
  for_rows(from.size(), width, [&](std::int64_t row) {
    const Real* in = from.data() + row * width;
    std::copy_n(in, width, out + row * wide);
    out[row * wide + norm] = static_cast<Real>(-0.5 * inner(in, in, width));
    out[row * wide + one] = 1;
  });
  return record("with_norm", y, {x}, [=](const Tensor& dy) -> Gradients {
    const Tensor upstream = dy.packed();
    Tensor dx(from.shape());
    Real* out = dx.mutable_data();
    for_rows(from.size(), width, [&](std::int64_t row) {
      const Real* g = upstream.data() + row * wide;
      const Real* in = from.data() + row * width;
      for (std::int64_t i = 0; i < width; ++i) {
        out[row * width + i] = g[norm] == 0 ? g[i] : g[i] - g[norm] * in[i];
      }
    });
    return {dx};
  });
}

}  // namespace heed::attention
