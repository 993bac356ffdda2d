// SPDX-License-Identifier: Apache-2.0
// Ops that change where gradients go and leave values alone.
#include "heed/autograd/ops.h"
#include "heed/base/error.h"

namespace heed {

Variable stop_gradient(const Variable& x) {
  return Variable(x.value());
}

Variable straight_through(const Tensor& hard, const Variable& soft) {
  if (hard.shape() != soft.shape()) {
    throw UsageError("straight_through: value {} and gradient path {}; the shapes must be equal",
                     hard.shape().text(), soft.shape().text());
  }
  return record("straight_through", hard, {soft},
                [](const Tensor& dy) -> Gradients { return {dy}; });
}

}  // namespace heed
