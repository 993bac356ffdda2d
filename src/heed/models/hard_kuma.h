// SPDX-License-Identifier: Apache-2.0
// HardKuma (Bastings, Aziz & Titov 2019): a gate from Kumaraswamy's distribution, which has two
// shapes a, b > 0, stretched to (-0.1, 1.1) and clipped, so that it is exactly 0 or 1 with some
// chance and has a gradient between them.
#pragma once

#include <cstdint>

#include "heed/autograd/variable.h"

namespace heed::models {

// Shapes are kept within these bounds.
inline constexpr double kLeastShape = 1e-6;
inline constexpr double kMostShape = 100;

struct KumaShapes {
  Variable a;  // > 0
  Variable b;  // likewise, of the same shape
};

// The gate that uniform numbers of (0, 1) draw, each its own: z = clip(l + (r - l) k), with
// k = (1 - (1 - u)^(1/b))^(1/a). Its gradient is 0 where it is clipped.
Variable hard_kuma(const KumaShapes& shapes, const Tensor& uniform);
// P(z = 0), with its gradient.
Variable chance_of_zero(const KumaShapes& shapes);
// The likeliest of 0, of 1, and of what lies between, which its mean stands for: that of the
// stretched and clipped gate, not of Kumaraswamy's variable.
Tensor likeliest(const KumaShapes& shapes);

// The same of one gate.
struct KumaGate {
  double a = 1;
  double b = 1;

  struct Draw {
    double z = 0;
    double da = 0;  // dz/da, dz/db
    double db = 0;
  };
  Draw draw(double u) const;
  // P(z = 0) and its derivatives.
  Draw zero() const;
  double one() const;   // P(z = 1)
  double mean() const;  // of z, by quadrature
  double likeliest() const;
};

}  // namespace heed::models
