// SPDX-License-Identifier: Apache-2.0
// Adding gradients up, in place where that is safe.
#include "heed/autograd/gradient.h"

#include "heed/tensor/arithmetic.h"
#include "heed/tensor/matmul.h"

namespace heed {

Shape Gradient::shape() const {
  return factor_.defined() ? product_shape(value_.shape(), factor_.shape(), "gradient")
                           : value_.shape();
}

void Gradient::add_to(Tensor& sum) && {
  if (none()) return;
  const bool writable = sum.unique() && sum.contiguous();
  if (factor_.defined()) {
    if (!sum.defined()) {
      sum = matmul(value_, factor_);
    } else {
      if (!writable) sum = sum.clone();
      add_product(sum, value_, factor_);
    }
  } else if (!sum.defined()) {
    sum = std::move(value_);
  } else if (writable) {
    heed::add_to(sum, value_);
  } else if (value_.unique() && value_.contiguous()) {
    heed::add_to(value_, sum);
    sum = std::move(value_);
  } else {
    sum = sum + value_;
  }
}

}  // namespace heed
