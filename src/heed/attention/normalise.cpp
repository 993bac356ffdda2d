// SPDX-License-Identifier: Apache-2.0
// Normalising tensors of any rank: one head whose queries are all rows.
#include "heed/attention/normalise.h"

#include <string>

#include "heed/attention/compose/weigh.h"
#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/kernels/attention/sparse_rows.h"

namespace heed::attention {
namespace {

void check_rows(const Variable& scores, const std::string& name) {
  if (scores.rank() < 1) {
    throw UsageError("{}: scores {}; it takes [...,keys]", name, scores.shape().text());
  }
}

// [...,K] -> [1,1,rows,K]; a matrix normaliser takes the last two axes, [rows,1,Q,K].
Variable as_heads(const Variable& x, bool matrices) {
  if (!x.defined()) return {};
  const Shape& shape = x.shape();
  const std::int64_t keys = shape[shape.rank() - 1];
  const std::int64_t queries = matrices && shape.rank() > 1 ? shape[shape.rank() - 2] : 1;
  std::int64_t rows = 1;
  for (int axis = 0; axis + (matrices ? 2 : 1) < shape.rank(); ++axis) rows *= shape[axis];
  return reshape(x, matrices ? Shape{rows, 1, queries, keys} : Shape{1, 1, rows, keys});
}

// [P] as the parameters of one head; without them, those it would start with.
Variable parameters_of(const Normaliser& normaliser, const Variable& given) {
  const std::unique_ptr<Normaliser> fresh = normaliser.clone();
  Random random(0);
  fresh->build({.heads = 1}, random);
  const Variable first = fresh->parameters();
  if (!given.defined()) return first.defined() ? Variable(first.value()) : Variable();
  const std::int64_t count = first.defined() ? first.size(1) : 0;
  if (given.shape() != Shape{count}) {
    throw UsageError("{}: parameters {}; it takes [{}]", normaliser.card().name,
                     given.shape().text(), count);
  }
  return count == 0 ? Variable() : reshape(given, {1, count});
}

}  // namespace

Variable normalise(const Normaliser& normaliser, const Variable& scores,
                   const NormaliseInputs& inputs) {
  check_rows(scores, normaliser.card().name);
  if (inputs.bounds.defined() && inputs.bounds.shape() != scores.shape()) {
    throw UsageError("{}: bounds {} for scores {}; their shapes must be equal",
                     normaliser.card().name, inputs.bounds.shape().text(), scores.shape().text());
  }
  const bool matrices = weighs_matrices(normaliser);
  const Weighed found = weigh(normaliser, nullptr,
                              {.scores = as_heads(scores, matrices),
                               .parameters = parameters_of(normaliser, inputs.parameters),
                               .bounds = as_heads(inputs.bounds, matrices),
                               .random = inputs.random});
  return reshape(found.weights, scores.shape());
}

Variable entmax(const Variable& scores, double alpha) {
  check_rows(scores, "entmax");
  if (!(alpha >= 1)) throw UsageError("entmax: alpha is {}; it starts at 1", alpha);
  const Tensor z = scores.value().packed();
  const auto columns = static_cast<std::size_t>(z.size(-1));
  const std::size_t rows = columns == 0 ? 0 : static_cast<std::size_t>(z.size()) / columns;
  Tensor p(z.shape());
  kernels::entmax(alpha, z.data(), p.mutable_data(), rows, columns);
  return record("entmax", p, {scores}, [=](const Tensor& dp) -> Gradients {
    const Tensor upstream = dp.packed();
    Tensor dz(p.shape());
    kernels::entmax_backward(alpha, p.data(), upstream.data(), dz.mutable_data(), rows, columns);
    return {dz};
  });
}

Variable sparsemax(const Variable& scores) {
  return entmax(scores, 2);
}

}  // namespace heed::attention
