// SPDX-License-Identifier: Apache-2.0
// Normalises rows of a tensor: by the part's kernel for whole matrices, else row by row over
// threads.
#include "heed/attention/normalise.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <vector>

#include "heed/attention/normalisers/bounds.h"
#include "heed/base/error.h"
#include "heed/base/threads.h"
#include "heed/kernels/attention/sparse_rows.h"
#include "heed/tensor/reduce.h"

namespace heed::attention {
namespace {

// One call's tensors, contiguous; kept for backward.
struct Call {
  std::shared_ptr<const Normaliser> normaliser;
  Tensor scores;      // [...,K]
  Tensor parameters;  // [P], or not defined
  Tensor bounds;      // [...,K], or not defined
  RowRandom random;

  std::size_t columns() const { return static_cast<std::size_t>(scores.size(-1)); }
  std::size_t rows() const {
    return columns() == 0 ? 0 : static_cast<std::size_t>(scores.size()) / columns();
  }
  bool plain() const { return !parameters.defined() && !bounds.defined(); }
  Matrix<Real> matrix(const Tensor& values) const { return {values.data(), rows(), columns()}; }
};

// Calls body(r, row) for every row; row r of any [rows, columns] tensor starts at r * columns.
template <typename Body>
void for_each_row(const Call& call, const Body& body) {
  const std::size_t columns = call.columns();
  std::vector<std::int32_t> keys(columns);
  std::iota(keys.begin(), keys.end(), 0);
  const std::size_t grain = 1 + 4096 / std::max<std::size_t>(columns, 1);
  parallel_for(call.rows(), grain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t r = begin; r < end; ++r) {
      Row<Real> row{.scores = {call.scores.data() + r * columns, columns},
                    .keys = keys,
                    .random = {call.random.seed, call.random.row + r}};
      if (call.parameters.defined()) row.parameters = call.parameters.span();
      if (call.bounds.defined()) row.bounds = {call.bounds.data() + r * columns, columns};
      body(r, row);
    }
  });
}

Tensor forward(const Call& call) {
  Tensor weights(call.scores.shape());
  Real* const out = weights.mutable_data();
  if (call.plain() && call.normaliser->forward_rows(call.matrix(call.scores), out)) return weights;
  const std::size_t columns = call.columns();
  for_each_row(call, [&](std::size_t r, const Row<Real>& row) {
    call.normaliser->forward(row, {out + r * columns, columns});
  });
  return weights;
}

Gradients backward(const Call& call, const Tensor& weights, const Tensor& dy, Needs needs) {
  const Tensor upstream = dy.packed();
  Tensor d_scores(call.scores.shape());
  Real* const d_score = d_scores.mutable_data();
  if (call.plain() &&
      call.normaliser->backward_rows(call.matrix(weights), upstream.data(), d_score)) {
    return {d_scores, Gradient(), Gradient()};
  }
  // One line of parameter gradients per row, added up in order: the same bits whatever the threads.
  const auto rows = static_cast<std::int64_t>(call.rows());
  Tensor d_lines = needs[1] ? Tensor::zeros({rows, call.parameters.size()}) : Tensor();
  Tensor d_bounds = needs[2] ? Tensor::zeros(call.scores.shape()) : Tensor();
  Real* const d_line = d_lines.mutable_data();
  Real* const d_bound = d_bounds.mutable_data();
  const std::size_t columns = call.columns();
  for_each_row(call, [&](std::size_t r, const Row<Real>& row) {
    RowGradient<Real> gradient{.scores = {d_score + r * columns, columns}};
    if (d_line != nullptr) {
      gradient.parameters = {d_line + r * row.parameters.size(), row.parameters.size()};
    }
    if (d_bound != nullptr) gradient.bounds = {d_bound + r * columns, columns};
    call.normaliser->backward(row, {weights.data() + r * columns, columns},
                              {.weights = {upstream.data() + r * columns, columns}}, gradient);
  });
  Gradients gradients{d_scores};
  gradients.add(needs[1] ? Gradient(sum(d_lines, 0)) : Gradient());
  gradients.add(needs[2] ? Gradient(d_bounds) : Gradient());
  return gradients;
}

void check_rows(const Variable& scores, const std::string& name) {
  if (scores.rank() < 1) {
    throw UsageError("{}: scores {}; it takes [...,keys]", name, scores.shape().text());
  }
}

}  // namespace

Variable normalise(const Normaliser& normaliser, const Variable& scores,
                   const NormaliseInputs& inputs) {
  const std::string& name = normaliser.card().name;
  check_rows(scores, name);
  Call call{.normaliser = normaliser.clone(),
            .scores = scores.value().packed(),
            .parameters = {},
            .bounds = {},
            .random = inputs.random};
  const std::vector<double> first = normaliser.first_parameters();
  const auto count = static_cast<std::int64_t>(first.size());
  if (inputs.parameters.defined()) {
    if (inputs.parameters.shape() != Shape{count}) {
      throw UsageError("{}: parameters {}; it takes [{}]", name, inputs.parameters.shape().text(),
                       count);
    }
    call.parameters = inputs.parameters.value().packed();
  } else if (count > 0) {
    call.parameters = Tensor::of({count}, std::vector<Real>(first.begin(), first.end()));
  }
  if (inputs.bounds.defined()) {
    call.bounds = inputs.bounds.value().packed();
    check_bounds(normaliser, call.bounds, scores.shape());
  } else if (call.rows() > 0) {
    normaliser.check(static_cast<std::int64_t>(call.columns()));
  }
  const Tensor weights = forward(call);
  return record("normalise_rows", weights, {scores, inputs.parameters, inputs.bounds},
                [call, weights](const Tensor& dy, Needs needs) -> Gradients {
                  return backward(call, weights, dy, needs);
                });
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
