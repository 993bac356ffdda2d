// SPDX-License-Identifier: Apache-2.0
// Softmax, log-softmax and cross-entropy over rows; another axis is brought last and put back.
#include <algorithm>

#include "heed/autograd/kept_ids.h"
#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/kernels/cross_entropy.h"
#include "heed/kernels/softmax.h"

namespace heed {
namespace {

struct Rows {
  explicit Rows(const Shape& shape)
      : columns(static_cast<std::size_t>(shape[shape.rank() - 1])),
        rows(columns == 0 ? 0 : static_cast<std::size_t>(shape.size()) / columns) {}
  std::size_t columns;
  std::size_t rows;
};

using RowKernel = void (*)(const Real*, Real*, std::size_t, std::size_t) noexcept;
Tensor map_rows(RowKernel kernel, const Tensor& x) {
  const Tensor straight = x.packed();
  Tensor y(x.shape());
  const Rows size(x.shape());
  kernel(straight.data(), y.mutable_data(), size.rows, size.columns);
  return y;
}

using RowBackwardKernel = void (*)(const Real*, const Real*, Real*, std::size_t,
                                   std::size_t) noexcept;
Tensor map_rows(RowBackwardKernel kernel, const Tensor& y, const Tensor& dy) {
  const Tensor straight = dy.packed();
  Tensor dx(y.shape());
  const Rows size(y.shape());
  kernel(y.data(), straight.data(), dx.mutable_data(), size.rows, size.columns);
  return dx;
}

}  // namespace

Variable softmax(const Variable& x, int axis) {
  axis = x.shape().axis(axis, "softmax");
  if (axis != x.rank() - 1) return transpose(softmax(transpose(x, axis, -1)), axis, -1);
  const Tensor y = map_rows(kernels::softmax<Real>, x.value());
  return record("softmax", y, {x}, [y](const Tensor& dy) -> Gradients {
    return {map_rows(kernels::softmax_backward<Real>, y, dy)};
  });
}

Variable log_softmax(const Variable& x, int axis) {
  axis = x.shape().axis(axis, "log_softmax");
  if (axis != x.rank() - 1) return transpose(log_softmax(transpose(x, axis, -1)), axis, -1);
  const Tensor y = map_rows(kernels::log_softmax<Real>, x.value());
  return record("log_softmax", y, {x}, [y](const Tensor& dy) -> Gradients {
    return {map_rows(kernels::log_softmax_backward<Real>, y, dy)};
  });
}

Variable cross_entropy(const Variable& logits, const Ids& targets,
                       const CrossEntropyOptions& options) {
  if (logits.rank() < 1 || logits.shape().without(logits.rank() - 1) != targets.shape()) {
    throw UsageError("cross_entropy: logits {} and targets {}; it takes [...,classes] and [...]",
                     logits.shape().text(), targets.shape().text());
  }
  if (!(options.smoothing >= 0 && options.smoothing <= 1)) {
    throw UsageError("cross_entropy: smoothing {}; it goes from 0 to 1", options.smoothing);
  }
  check_ids(targets, logits.size(-1), "cross_entropy", options.ignored);
  const Tensor z = logits.value().packed();
  const Ids ids = kept_ids(targets);
  const Rows size(z.shape());
  const std::int32_t ignored = options.ignored.value_or(-1);
  const kernels::CrossEntropyRows<Real> rows{z.data(),     ids.data(),        size.rows,
                                             size.columns, options.smoothing, ignored};
  Tensor losses(targets.shape());
  Tensor log_sum_exp(targets.shape());
  kernels::cross_entropy(rows, losses.mutable_data(), log_sum_exp.mutable_data());

  Real weight = 1;  // of each row in the result
  if (options.reduction == Reduction::mean) {
    const auto count = static_cast<std::int64_t>(size.rows) -
                       std::count(ids.data(), ids.data() + ids.size(), ignored);
    weight = count > 0 ? Real{1} / static_cast<Real>(count) : Real{0};
  }
  const bool each = options.reduction == Reduction::none;
  const Tensor y = each ? losses : Tensor::scalar(sum(losses).item() * weight);
  // Captures z and ids, which keep the pointers in `rows` alive.
  return record("cross_entropy", y, {logits},
                [z = Tensor(z), ids, rows, log_sum_exp, weight, each](
                    const Tensor& dy, Needs needs) mutable -> Gradients {
                  const Tensor scales =
                      each ? dy.packed() : Tensor::full(log_sum_exp.shape(), dy.item() * weight);
                  // Logits that nothing else sees become their gradient: at 4,096 tokens of 8,000
                  // words that is 131 MB less at the fullest moment of a training step.
                  Tensor dz = needs.last() && z.unique() ? std::move(z) : Tensor(z.shape());
                  kernels::cross_entropy_backward(rows, log_sum_exp.data(), scales.data(),
                                                  dz.mutable_data());
                  return {dz};
                });
}

}  // namespace heed
