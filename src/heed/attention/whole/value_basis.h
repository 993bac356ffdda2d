// SPDX-License-Identifier: Apache-2.0
// ValueBasis: basis functions on a line or a plane, the ridge regression that makes a function of
// values at the cells of a grid, and what a density reads of it (Martins et al. 2020, Sec. 4).
//
// V(t) = B psi(t) with B = H^T G, H the values [L,Dv] and G = F^T (F F^T + ridge I)^-1 [L,N],
// F_jl = psi_j(t_l): G hangs on the grid alone. A context B E_p[psi] is H^T G r, so G r are the
// weights of the values.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "heed/attention/whole/density.h"
#include "heed/base/exported.h"

namespace heed::attention {

struct BasisOptions {
  Density of = Density::softmax;
  // 0: cells are on a line. Otherwise they fill the rows of a grid with so many columns.
  std::int64_t columns = 0;
  std::int64_t centres = 30;     // along each side, both ends included
  std::vector<double> widths{};  // deviations; each has functions at all centres
  double ridge = 0.01;
  int angles = 64;
};

class ValueBasis {
 public:
  explicit ValueBasis(const BasisOptions& options);

  const BasisOptions& options() const { return options_; }
  bool plane() const { return options_.columns > 0; }
  std::size_t size() const;  // N
  // Numbers of a density: mean and variance, or x, y, xx, xy, yy.
  std::size_t moments() const { return plane() ? 5 : 2; }

  // The centre of cell l of the first `cells` ones; y is 0 on a line. On a plane the rows that are
  // begun make up the side.
  std::array<double, 2> place(std::int64_t l, std::int64_t cells) const;

  // G of the first `cells` cells [L,N]. Kept for later calls, from any thread, up to a bound.
  std::shared_ptr<const std::vector<double>> regression(std::int64_t cells) const;

  // E_p[psi] [N] for the density of these moments.
  void read(std::span<const double> moments, std::span<double> r) const;
  // d moments, from what arrives for E_p[psi].
  void slopes(std::span<const double> moments, std::span<const double> d_r,
              std::span<double> d_moments) const;

 private:
  struct Function {
    std::array<double, 2> centre;
    double deviation;
  };
  double function_at(const Function& function, const std::array<double, 2>& t) const;
  std::vector<double> regress(std::int64_t cells) const;
  template <typename Body>
  void each_read(std::span<const double> moments, const Body& body) const;

  BasisOptions options_;
  std::vector<Function> functions_;
  mutable std::mutex mutex_;
  mutable std::map<std::int64_t, std::shared_ptr<const std::vector<double>>> known_;
  mutable std::size_t kept_ = 0;  // numbers in known_
};

}  // namespace heed::attention
