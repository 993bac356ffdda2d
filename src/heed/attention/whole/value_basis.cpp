// SPDX-License-Identifier: Apache-2.0
// The regression by Cholesky's factors, and the sums over basis functions.
#include "heed/attention/whole/value_basis.h"

#include <cmath>
#include <numbers>

#include "heed/base/cholesky.h"
#include "heed/base/error.h"

namespace heed::attention {
namespace {

// A language model asks for every length up to its longest: 32 MB of them are kept.
constexpr std::size_t kMostKept = std::size_t{1} << 22;

}  // namespace

ValueBasis::ValueBasis(const BasisOptions& options) : options_(options) {
  const auto along = [&](std::int64_t i) {
    return options.centres == 1 ? 0.5
                                : static_cast<double>(i) / static_cast<double>(options.centres - 1);
  };
  for (const double width : options.widths) {
    for (std::int64_t i = 0; i < options.centres; ++i) {
      for (std::int64_t j = 0; j < (plane() ? options.centres : 1); ++j) {
        functions_.push_back(
            {plane() ? std::array{along(j), along(i)} : std::array{along(i), 0.0}, width});
      }
    }
  }
}

std::size_t ValueBasis::size() const {
  return functions_.size();
}

std::array<double, 2> ValueBasis::place(std::int64_t l, std::int64_t cells) const {
  const auto centre = [](std::int64_t at, std::int64_t of) {
    return (static_cast<double>(at) + 0.5) / static_cast<double>(of);
  };
  if (!plane()) return {centre(l, cells), 0};
  const std::int64_t columns = options_.columns, rows = (cells + columns - 1) / columns;
  return {centre(l % columns, columns), centre(l / columns, rows)};
}

double ValueBasis::function_at(const Function& function, const std::array<double, 2>& t) const {
  const double dx = (t[0] - function.centre[0]) / function.deviation;
  const double dy = plane() ? (t[1] - function.centre[1]) / function.deviation : 0;
  const double height = 1 / (std::sqrt(2 * std::numbers::pi) * function.deviation);
  return std::exp(-(dx * dx + dy * dy) / 2) * (plane() ? height * height : height);
}

std::vector<double> ValueBasis::regress(std::int64_t cells) const {
  const std::size_t n = size(), l = static_cast<std::size_t>(cells);
  std::vector<double> f(n * l), squares(n * n), g(l * n);
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t c = 0; c < l; ++c) {
      f[j * l + c] = function_at(functions_[j], place(static_cast<std::int64_t>(c), cells));
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = i == j ? options_.ridge : 0;
      for (std::size_t c = 0; c < l; ++c) sum += f[i * l + c] * f[j * l + c];
      squares[i * n + j] = sum;
    }
  }
  solve_positive(squares, n, f, l);
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t c = 0; c < l; ++c) g[c * n + j] = f[j * l + c];
  }
  return g;
}

std::shared_ptr<const std::vector<double>> ValueBasis::regression(std::int64_t cells) const {
  {
    const std::scoped_lock lock(mutex_);
    const auto found = known_.find(cells);
    if (found != known_.end()) return found->second;
  }
  auto made = std::make_shared<const std::vector<double>>(regress(cells));
  const std::scoped_lock lock(mutex_);
  if (kept_ + made->size() > kMostKept) {
    known_.clear();
    kept_ = 0;
  }
  if (known_.emplace(cells, made).second) kept_ += made->size();
  return made;
}

// Calls body(function's number, density that reads functions of its deviation, function).
template <typename Body>
void ValueBasis::each_read(std::span<const double> moments, const Body& body) const {
  if (!plane()) {
    const LineDensity density(options_.of, moments[0], moments[1]);
    for (std::size_t j = 0; j < size(); ++j) body(j, density, functions_[j]);
    return;
  }
  const std::size_t each = size() / options_.widths.size();
  for (std::size_t w = 0; w < options_.widths.size(); ++w) {
    const double variance = options_.widths[w] * options_.widths[w];
    const PlaneDensity density(options_.of, {moments[0], moments[1]},
                               {moments[2], moments[3], moments[4]}, {variance, 0, variance},
                               options_.angles);
    for (std::size_t j = w * each; j < (w + 1) * each; ++j) body(j, density, functions_[j]);
  }
}

void ValueBasis::read(std::span<const double> moments, std::span<double> r) const {
  each_read(moments, [&]<typename D>(std::size_t j, const D& density, const Function& function) {
    if constexpr (std::is_same_v<D, LineDensity>) {
      r[j] = density.read(function.centre[0], function.deviation * function.deviation).value;
    } else {
      r[j] = density.value(function.centre);
    }
  });
}

void ValueBasis::slopes(std::span<const double> moments, std::span<const double> d_r,
                        std::span<double> d_moments) const {
  std::fill(d_moments.begin(), d_moments.end(), 0.0);
  each_read(moments, [&]<typename D>(std::size_t j, const D& density, const Function& function) {
    if constexpr (std::is_same_v<D, LineDensity>) {
      const LineRead one =
          density.read(function.centre[0], function.deviation * function.deviation);
      d_moments[0] += d_r[j] * one.d_mean;
      d_moments[1] += d_r[j] * one.d_variance;
    } else {
      const PlaneRead one = density.read(function.centre);
      const double all[] = {one.d_mean[0], one.d_mean[1], one.d_covariance.xx, one.d_covariance.xy,
                            one.d_covariance.yy};
      for (std::size_t m = 0; m < 5; ++m) d_moments[m] += d_r[j] * all[m];
    }
  });
}

}  // namespace heed::attention
