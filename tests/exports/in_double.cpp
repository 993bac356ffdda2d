// SPDX-License-Identifier: Apache-2.0
// The half of a program that computes in double, beside in_float.cpp: the same names, another
// library.
#include <cmath>
#include <cstdio>

#include "heed/autograd/ops.h"

void in_double();

void in_double() {
  const heed::Variable third =
      heed::Tensor::full({1}, 1) / heed::Variable(heed::Tensor::full({1}, 3));
  std::printf("double: %zu bytes, %g\n", sizeof(third.item()), std::abs(third.item() - 1.0 / 3));
}
