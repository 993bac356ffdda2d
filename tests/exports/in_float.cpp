// SPDX-License-Identifier: Apache-2.0
// The half of a program that computes in float, beside in_double.cpp.
#include <cmath>
#include <cstdio>

#include "heed/autograd/ops.h"

void in_double();

int main() {
  const heed::Variable third =
      heed::Tensor::full({1}, 1) / heed::Variable(heed::Tensor::full({1}, 3));
  std::printf("float: %zu bytes, 1/3 - 1/3 as double %.0e\n", sizeof(third.item()),
              std::abs(static_cast<double>(third.item()) - 1.0 / 3));
  in_double();
}
