// SPDX-License-Identifier: Apache-2.0
// Dropout: the mask is a function of seed, stream and position, so backward makes it again and
// stores nothing.
#include "heed/kernels/dropout.h"
#include "heed/autograd/ops.h"
#include "heed/base/error.h"

namespace heed {
namespace {

kernels::DropoutOptions checked(const char* op, const DropoutMask& mask) {
  if (!(mask.probability >= 0 && mask.probability < 1)) {
    throw UsageError("{}: probability {}; it goes from 0 to below 1", op, mask.probability);
  }
  return {mask.probability, mask.seed, mask.stream, 0};
}

}  // namespace

Variable dropout(const Variable& x, const DropoutMask& mask) {
  const auto options = checked("dropout", mask);
  if (mask.probability == 0) return x;
  const auto drop = [options](const Tensor& from) {
    const Tensor straight = from.required("dropout").packed();
    Tensor to(from.shape());
    kernels::dropout(straight.data(), to.mutable_data(), static_cast<std::size_t>(to.size()),
                     options);
    return to;
  };
  return record("dropout", drop(x.value()), {x},
                [drop](const Tensor& dy) -> Gradients { return {drop(dy)}; });
}

Variable locked_dropout(const Variable& x, const DropoutMask& mask) {
  const auto options = checked("locked_dropout", mask);
  if (x.rank() < 1) throw UsageError("locked_dropout: a scalar has no steps");
  if (mask.probability == 0 || x.value().size() == 0) return x;
  const auto drop = [options](const Tensor& from) {
    const Tensor straight = from.packed();
    Tensor to(from.shape());
    const auto steps = static_cast<std::size_t>(from.size(0));
    kernels::locked_dropout(
        straight.data(), to.mutable_data(),
        {.outer = 1, .steps = steps, .inner = static_cast<std::size_t>(to.size()) / steps},
        options);
    return to;
  };
  return record("locked_dropout", drop(x.value()), {x},
                [drop](const Tensor& dy) -> Gradients { return {drop(dy)}; });
}

}  // namespace heed
